"""Bar charts of the results as SVG: a bar is the median of the runs, its whisker their span."""

from html import escape

WIDTH, LABELS, BAR, GAP, TOP = 760, 220, 22, 12, 58
INK, FAINT = "#222", "#777"
OWN, OTHER, VOLATILE, LIMIT = "#2563a8", "#9aa7b5", "#d3dae1", "#c9a24b"


def colour(name, durability):
    if name.startswith("Lockstep") or name.startswith("focus "):
        return OWN
    if name.startswith("limit"):
        return LIMIT
    return VOLATILE if durability.startswith(("not durable", "keeps nothing")) or "QoS 0" in name or "pub/sub" in name else OTHER


def middle(values):
    return sorted(values)[len(values) // 2]


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def plot_name(row, column):
    """Returns the file name of the chart of a row's column."""
    return row.name if row.columns[0][0] == column else f"{row.name}-{column.split(', ')[0].replace(',', '').replace(' ', '-')}"


def chart(row, column, bars):
    """Returns the chart of a row's column. `bars` are name, durability and the runs' values."""
    unit = dict(row.columns)[column]
    room = WIDTH - LABELS - 110
    most = max(max(values) for _, _, values in bars)
    height = TOP + len(bars) * (BAR + GAP) + 34
    better = "more is better" if unit.endswith("/s") else "less is better"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(row.title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="16" y="24" font-size="16" font-weight="bold" fill="{INK}">{escape(row.title)}</text>',
        f'<text x="16" y="44" fill="{FAINT}">{escape(column)} in {escape(unit)}; {better}; median, and the span of the runs</text>',
    ]
    for place, (name, durability, values) in enumerate(bars):
        y = TOP + place * (BAR + GAP)
        center = y + BAR / 2
        at = [LABELS + room * value / most for value in (min(values), middle(values), max(values))]
        lines += [
            f'<text x="{LABELS - 10}" y="{center + 4.5:.1f}" text-anchor="end" fill="{INK}">{escape(name)}</text>',
            f'<rect x="{LABELS}" y="{y}" width="{at[1] - LABELS:.1f}" height="{BAR}" fill="{colour(name, durability)}"/>',
            f'<path d="M{at[0]:.1f} {center:.1f}H{at[2]:.1f}M{at[0]:.1f} {center - 5:.1f}v10M{at[2]:.1f} {center - 5:.1f}v10" '
            f'stroke="{INK}" fill="none"/>',
            f'<text x="{at[2] + 8:.1f}" y="{center + 4.5:.1f}" fill="{INK}">{number(middle(values))}</text>',
        ]
    y = height - 22
    x = 16
    legend = [(OWN, "Lockstep")]
    kinds = {colour(name, durability) for name, durability, _ in bars}
    for fill, text in ((OTHER, "others"), (VOLATILE, "others, keeping nothing or not durably"), (LIMIT, "the limit")):
        if fill in kinds:
            legend.append((fill, text))
    for fill, text in legend:
        lines.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{fill}"/>')
        lines.append(f'<text x="{x + 18}" y="{y + 11}" fill="{FAINT}">{escape(text)}</text>')
        x += 40 + 7 * len(text)
    return "\n".join(lines + ["</svg>", ""])


def write(folder, rows, figures):
    """Writes a chart for each plotted column that has figures."""
    folder.mkdir(exist_ok=True)
    for row in rows:
        for column in row.plotted():
            bars = [
                (peer.name, peer.durability, values) for peer in row.peers
                if (values := [run[column] for run in figures.get((row.name, peer.name), []) if column in run])]
            if bars:
                (folder / f"{plot_name(row, column)}.svg").write_text(chart(row, column, bars))
