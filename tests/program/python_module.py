"""What io/python/README.md shows of io/python/sinew.py happens, line by line."""

import doctest
import os

import program

program.need_modules("h5py", "numpy")

HERE = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(HERE, "..", "..", "io", "python", "README.md")


class PythonModule(program.ProgramTest):
    def test_session(self):
        os.environ.update(SINEW=os.path.abspath(self.program.path), OMP_NUM_THREADS="1")
        os.chdir(self.folder)
        failed, tried = doctest.testfile(os.path.abspath(README), module_relative=False,
                                         optionflags=doctest.ELLIPSIS)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 30)


if __name__ == "__main__":
    program.main()
