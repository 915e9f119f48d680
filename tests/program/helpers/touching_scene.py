"""A small shot in which everything touches, for tests of what it computes and of its restarts: a
block on a rough floor with a bone that moves, a ball that falls on the block, a fist that pushes
the ball, and a wall that turns against the block."""

FRAMES = 6
SCENE = """\
name: touching
frames: {first: 1, last: 6, fps: 24}
gravity: [0, -9.81, 0]
bodies:
  - name: block
    mesh: "builtin:cube,x=0.6,y=0.2,z=0.3,detail=4"
    place: {translate: [0, 0.1, 0]}
    cell: 0.1
    material: {young: 2.0e4, poisson: 0.4, density: 1000, damping: 0.005}
  - name: ball
    mesh: "builtin:sphere,radius=0.15,detail=6"
    place: {translate: [0.05, 0.352, 0]}
    cell: 0.075
    material: {young: 3.0e4, poisson: 0.3, density: 1000}
bones:
  - name: marrow
    body: block
    mesh: "builtin:cube,x=0.4,y=0.06,z=0.1,detail=3"
    place: {translate: [0, 0.1, 0]}
    motion: {csv: marrow.csv}
    stiffness: 1.0e6
colliders:
  - name: floor
    shape: {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
    stiffness: 3.0e+3
    friction: 0.4
  - name: fist
    shape: {sphere: {center: [-0.32, 0.42, 0.02], radius: 0.2}}
    motion: {keys: [{frame: 1}, {frame: 6, translate: [0.1, 0, 0]}]}
    stiffness: 3.0e+3
    friction: 0.2
  - name: wall
    shape:
      mesh: "builtin:cube,x=0.1,y=0.6,z=0.6,detail=2"
      place: {translate: [0.36, 0.3, 0]}
    motion:
      keys:
        - {frame: 1}
        - {frame: 6, rotate: {axis: [0, 1, 0], degrees: -6}, translate: [-0.02, 0, 0]}
    stiffness: 3.0e+3
    friction: 0.3
self_collision: {enabled: true, stiffness: 1.0e+3, friction: 0.3}
solver:
  integrator: bdf2
  newton: {max: 20, tolerance: 1.0e-3}
  linear: {max: 20, tolerance: 1.0e-3}
output: {dir: run, every: 6, checkpoint: {every: 0}}
"""
MARROW = "".join(f"1,0,0,{0.008 * i:g}, 0,1,0,{0.004 * i:g}, 0,0,1,0\n" for i in range(FRAMES))
FILES = {"touching.yaml": SCENE, "marrow.csv": MARROW}
