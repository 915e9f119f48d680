"""What the program says about itself: every option of a command is in its usage, and `sinew info`
lists shapes, motions and keys that there are, with the values that count when nothing is said."""

import functools
import json
import os
import re

import program

WRONG = 1
KEYS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "io", "scene", "KEYS.md")
COMMANDS = ("run", "render", "report", "diagnose", "info", "plan", "export", "bench")
OPTION = re.compile(r"^  (-P|--[a-z-]+)(?: (\S+))?  +\S", re.MULTILINE)
WIDEST = 100
SHAPE = re.compile(r"^  (\w+) +\S", re.MULTILINE)
PARAMETER = re.compile(r"^      (\w+) +.*\((\S+); \S+ to \S+\)$", re.MULTILINE)
CELL = 0.2
BONE = """\
  - name: %s
    body: flesh
    mesh: builtin:creature/%s
    motion: {builtin: "%s"}
"""


class Help(program.ProgramTest):
    @staticmethod
    @functools.cache  # several tests look at the same pages
    def page(arguments):
        result = program.ProgramTest.program.run(*arguments)
        return result.status, result.output, result.errors

    def ask(self, *arguments, **how):
        if not how and not any(word.endswith(".yaml") for word in arguments):
            status, output, errors = Help.page(arguments)
        else:
            status, output, errors = self.program.run(*arguments, folder=self.folder, **how)
        self.assertEqual(status, 0, errors)
        return output

    def test_commands(self):
        listed = self.ask("--help")
        self.assertEqual(tuple(re.findall(r"^  (\w+) +[a-z]", listed, re.MULTILINE))[:len(COMMANDS)], COMMANDS)
        for status, meaning in enumerate(("done", "wrong", "machine", "restart", "tolerance")):
            self.assertRegex(listed, rf"(?m)^  {status}  .*{meaning}")

    def test_options(self):
        for command in COMMANDS:
            with self.subTest(command):
                text = self.ask(command, "--help")
                self.assertEqual(text, self.ask(command, "nonsense", "--nonsense", "-h"))
                usage = text.split("\n\n")[0]
                self.assertTrue(usage.startswith(f"usage: sinew {command} "))
                self.assertLess(max(map(len, text.splitlines())), WIDEST)
                options = OPTION.findall(text)
                if command != "diagnose":  # it has none
                    self.assertGreater(len(options), 1)
                for name, _ in options:
                    self.assertRegex(usage, rf"(?<![\w-]){name}(?![\w-])")

    def test_values_that_are_missing(self):
        """Every option that something has to follow says so itself."""
        for command in COMMANDS[::3] if self.sanitized else COMMANDS:
            for name, value in OPTION.findall(self.ask(command, "--help")):
                if not value:
                    continue
                with self.subTest(command, option=name):
                    result = self.program.run(command, "thing", name, folder=self.folder)
                    self.assertEqual(result.status, WRONG)
                    self.assertIn(f"error: {command}: {name} needs", result.errors)
                    self.assertEqual(result.output, "")

    def test_once_for_all_ranks(self):
        self.assertEqual(self.ask("info", "--builtins", ranks=2), self.ask("info", "--builtins"))

    def test_references_together(self):
        keys, builtins = self.ask("info", "--keys"), self.ask("info", "--builtins")
        self.assertRegex(keys, "(?m)^bodies: <a list of at least 1")
        self.assertEqual(self.ask("info", "--builtins", "--keys"), keys + builtins)

    def test_page_of_the_keys(self):
        with open(KEYS) as page:
            printed = page.read().split("```text\n")[1].split("```\n")[0]
        self.assertEqual(printed, self.ask("info", "--keys"), "put what is printed into io/scene/KEYS.md")

    def test_help_of_a_command(self):
        for command in COMMANDS:
            self.assertEqual(self.ask("help", command), self.ask(command, "--help"))
        self.assertEqual(self.ask("help"), self.ask("--help"))
        result = self.program.run("help", "dance", folder=self.folder)
        self.assertEqual(result.status, WRONG)
        self.assertIn("unknown command 'dance'", result.errors)

    def test_part_of_the_keys(self):
        """A part is what stands in the whole, as far as it goes."""
        keys = self.ask("info", "--keys")
        part = self.ask("info", "--keys", "bones")
        self.assertTrue(part.startswith("bones: <") and "joint: <" in part, part)
        self.assertNotIn("bodies: <", part)
        self.assertIn(self.ask("info", "--keys", "solver"), keys)
        material = self.ask("info", "--keys", "bodies.material")
        self.assertRegex(material, r"^material: <a material(.*\n)+    young: <")
        result = self.info("--keys", "bodies.materiel")
        self.assertEqual(result.status, WRONG)
        self.assertRegex(result.errors, "no key 'materiel' in .*: is it 'material'")

    def builtins(self):
        shapes, motions = self.ask("info", "--builtins").split("Built-in motions")
        return shapes, motions

    def build(self, meshes):
        """The octrees of all of them, each a body."""
        bodies = "".join(f"  - {{name: b{i}, mesh: '{mesh}', cell: {CELL}}}\n"
                         for i, mesh in enumerate(meshes))
        self.write({"scene.yaml": "name: shapes\nbodies:\n" + bodies})
        return json.loads(self.ask("info", "scene.yaml", "--json"))

    def test_shapes(self):
        """With the values that are listed, each is the one that comes without."""
        shapes, _ = self.builtins()
        found = list(SHAPE.finditer(shapes))
        self.assertGreater(len(found), 4)
        plain, full = [], []
        for shape, end in zip(found, [*(f.start() for f in found[1:]), len(shapes)]):
            values = PARAMETER.findall(shapes[shape.start():end])
            self.assertTrue(values, shape[1])
            plain.append("builtin:" + shape[1])
            full.append(",".join([plain[-1], *(f"{name}={value}" for name, value in values)]))
        self.assertEqual(self.build(plain), self.build(full))

    def test_motions(self):
        """All of them, with all their parameters, are motions of a scene."""
        _, motions = self.builtins()
        values = [f"{name}={value}" for name, value in PARAMETER.findall(motions)]
        names = SHAPE.findall(motions)
        self.assertEqual((len(names), len(values)), (2, 2))
        bones = "".join(BONE % (bone, bone, ",".join([name, *values]))
                        for bone, name in zip(("pelvis", "chest"), names))
        self.write({"scene.yaml": "bodies:\n  - {name: flesh, mesh: builtin:creature, "
                                  f"cell: {CELL}}}\nbones:\n" + bones})
        self.ask("run", "scene.yaml", "--dry-run")


if __name__ == "__main__":
    program.main()
