"""The pictures of `sinew info` are the same, byte for byte, however many ranks draw them."""

import os

import program

SCENE = """\
name: two-bodies
bodies:
  - {name: head, mesh: "builtin:spike,count=12", cell: 0.05}
  - {name: ball, mesh: "builtin:sphere,detail=8", cell: 0.04, coarsest: 0.1}
"""
SIZE = "400x250"


class Pictures(program.ProgramTest):
    def draw(self, threads, **how):
        names = ["slice.png", "surface.png"]
        result = self.info("scene.yaml", "--picture", names[0], "--surface", names[1],
                           "--size", SIZE, threads=threads, **how)
        self.assertEqual(result.status, 0, result.errors)
        self.assertEqual(sorted(os.listdir(self.folder)), ["scene.yaml", *names])
        pictures = []
        for name in names:
            with open(self.path(name), "rb") as file:
                pictures.append(file.read())
            os.remove(self.path(name))
        return pictures

    def test_same_pictures_on_three_ranks(self):
        self.write({"scene.yaml": SCENE})
        alone, shared = self.draw(threads=2), self.draw(threads=1, ranks=3)
        for one, other in zip(alone, shared):
            self.assertTrue(one.startswith(b"\x89PNG"))
            self.assertTrue(one == other, "another picture")
        self.assertNotEqual(alone[0], alone[1])


if __name__ == "__main__":
    program.main()
