"""Figures on paper: matplotlib, imported when it is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bunraku.errors import MissingPackageError
from bunraku.experiments.findings import Figure, Panel
from bunraku.files import whole_file

_WIDTH_IN, _HEIGHT_IN, _DPI = 4.6, 3.1, 110


def need_plotting() -> None:
    """Refuse before the work where figures could not be drawn after it."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingPackageError("matplotlib", "report", "drawing figures") from None


def draw(figure: Figure, path: Path) -> Path:
    """Draw one figure as a PNG."""
    need_plotting()
    from matplotlib.figure import Figure as Canvas

    columns = min(figure.columns, len(figure.panels))
    rows = -(-len(figure.panels) // columns)
    canvas = Canvas(figsize=(_WIDTH_IN * columns, _HEIGHT_IN * rows), layout="constrained")
    for number, panel in enumerate(figure.panels, start=1):
        _panel(canvas.add_subplot(rows, columns, number), canvas, panel)
    with whole_file(path) as part:
        canvas.savefig(part, dpi=_DPI, format="png")
    return path


def _panel(axes: Any, canvas: Any, panel: Panel) -> None:
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel(panel.x_label, fontsize=9)
    axes.set_ylabel(panel.y_label, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.25)
    if panel.heat is not None:
        heat = panel.heat
        drawn = axes.contourf(heat.x, heat.y, heat.values, levels=24, cmap="viridis")
        canvas.colorbar(drawn, ax=axes, label=heat.label)
    for line in panel.lines:
        axes.plot(line.x, line.y, line.style, label=line.label or None, linewidth=1.2, markersize=3)
    if any(line.label for line in panel.lines):
        axes.legend(fontsize=7)
    if panel.equal:
        axes.set_aspect("equal", adjustable="datalim")
