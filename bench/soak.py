"""Hours of a session with a fault every few seconds, printed and plotted: ./dev soak --hours 24 --seed 1"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from PIL import Image, ImageDraw

ROWS = (("resident MiB", 1), ("descriptors", 2), ("threads", 3), ("median tick, us", 4))
WIDTH, HEIGHT, LEFT, TOP = 900, 150, 80, 26


def main() -> int:
    """Exit code 1 where a promise was broken."""
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=0.1, help="of the session's time (default 0.1)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--real", action="store_true", help="in real time, on the simulator in its own process")
    parser.add_argument("--robot", default="puppet")
    parser.add_argument("--rate", type=float, default=120.0, help="Hz (default 120)")
    parser.add_argument("--motion", default="synth:random?seconds=120&fps=60", help="what the person does, to and fro")
    parser.add_argument("--out", type=Path, default=Path("out/soak"), help="folder for report and plot (out/soak)")
    args = parser.parse_args()
    from bunraku.robots import load_robot
    from bunraku.session.soak import Soak, SoakPlan, SoakReport
    from bunraku.sources import read_motion

    plan = SoakPlan(
        robot=load_robot(args.robot), motion=read_motion(args.motion), hours=args.hours, seed=args.seed,
        rate_hz=args.rate, real=args.real,
    )  # fmt: skip
    name = f"{'real' if args.real else 'simulated'}-{args.robot}-{args.seed}"

    def tell(report: SoakReport) -> None:
        if len(report.samples) % 30 == 0:
            print(report.figures(), file=sys.stderr, flush=True)
            report.save(args.out / f"{name}.json")

    report = Soak(plan).run(tell)
    for key, value in report.figures().items():
        print(f"{key:22} {value:g}")
    print("states                ", dict(report.states.most_common()))
    print("faults                ", dict(report.faults.most_common()))
    for breach in report.breaches[:20]:
        print("BROKEN", breach)
    print("wrote", report.save(args.out / f"{name}.json"))
    print("wrote", plot(report.samples, args.out / f"{name}.png"))
    return 1 if report.breaches else 0


def plot(samples: list[tuple[float, ...]], path: Path) -> Path:
    """One panel for each of ROWS over the hours."""
    picture = Image.new("RGB", (WIDTH, len(ROWS) * HEIGHT), "white")
    draw = ImageDraw.Draw(picture)
    for panel, (title, column) in enumerate(ROWS):
        top, bottom = panel * HEIGHT + TOP, (panel + 1) * HEIGHT - 22
        values = [row[column] for row in samples] or [0.0]
        hours = [row[0] for row in samples] or [0.0]
        low, high = min(0.0, *values, 0.0), max(*values, 1e-9) * 1.1
        last = max(hours[-1], 1e-9)
        draw.line([(LEFT, top), (LEFT, bottom), (WIDTH - 20, bottom)], fill="black")
        draw.text((LEFT, top - 18), title, fill="black")
        draw.text((8, top), f"{high:.4g}", fill="black")
        draw.text((8, bottom - 10), f"{low:.4g}", fill="black")
        draw.text((WIDTH - 70, bottom + 4), f"{last:.3g} h", fill="black")
        points = [
            (LEFT + (WIDTH - 20 - LEFT) * hour / last, bottom - (bottom - top) * (value - low) / (high - low))
            for hour, value in zip(hours, values, strict=True)
        ]
        draw.line(points if len(points) > 1 else points * 2, fill=(30, 90, 200), width=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)
    return path


if __name__ == "__main__":
    sys.exit(main())
