import type { ScopedVars } from '@grafana/data';

import type { GridPos, Panel } from './model';

/** A panel in its place; a repeated one has the value that it is drawn for. */
export interface Placed {
  key: string;
  panel: Panel;
  at: GridPos;
  scopedVars: ScopedVars;
}

/** The panels under one heading. The first section may have none. */
export interface Section {
  key: string;
  row?: Panel;
  scopedVars: ScopedVars;
  panels: Placed[];
}

const COLUMNS = 24;

const scope = (name: string | undefined, value: string | undefined): ScopedVars =>
  name === undefined || value === undefined ? {} : { [name]: { text: value, value } };

/** Puts the panels of a dashboard under their rows and draws the repeated ones once for each value. */
export function sections(panels: Panel[], valuesOf: (variable: string) => string[]): Section[] {
  const groups: Array<{ row?: Panel; panels: Panel[] }> = [{ panels: [] }];
  for (const panel of inOrder(panels)) {
    if (panel.type === 'row') {
      // A collapsed row holds its panels, an open one is followed by them.
      groups.push({ row: panel, panels: [...(panel.panels ?? [])] });
    } else {
      groups[groups.length - 1].panels.push(panel);
    }
  }
  return groups
    .filter(({ row, panels }) => row !== undefined || panels.length > 0)
    .flatMap(({ row, panels }, index) => {
      const values = row?.repeat ? valuesOf(row.repeat) : [undefined];
      return values.map((value) => {
        const scopedVars = scope(row?.repeat, value);
        return {
          key: `${row?.id ?? index}-${value ?? ''}`,
          row,
          scopedVars,
          panels: place(panels, scopedVars, valuesOf),
        };
      });
    });
}

function inOrder(panels: Panel[]): Panel[] {
  return [...panels].sort((a, b) => a.gridPos.y - b.gridPos.y || a.gridPos.x - b.gridPos.x);
}

/** Positions within a section begin at 0; what a repeated panel needs below itself moves the others down. */
function place(panels: Panel[], scopedVars: ScopedVars, valuesOf: (variable: string) => string[]): Placed[] {
  const sorted = inOrder(panels);
  const top = sorted[0]?.gridPos.y ?? 0;
  const moves: Array<{ below: number; by: number }> = [];
  return sorted.flatMap((panel) => {
    const { x, y, w, h } = panel.gridPos;
    const moved = y - top + moves.reduce((sum, { below, by }) => (y >= below ? sum + by : sum), 0);
    if (!panel.repeat) {
      return [{ key: String(panel.id), panel, scopedVars, at: { x, y: moved, w, h } }];
    }
    const values = valuesOf(panel.repeat);
    const isVertical = panel.repeatDirection === 'v';
    const perLine = isVertical ? 1 : Math.max(1, Math.min(values.length, panel.maxPerRow ?? 4));
    const width = isVertical ? w : Math.floor(COLUMNS / perLine);
    const lines = Math.max(1, Math.ceil(values.length / perLine));
    if (lines > 1) {
      moves.push({ below: y + h, by: (lines - 1) * h });
    }
    return values.map((value, index) => ({
      key: `${panel.id}-${value}`,
      panel,
      scopedVars: { ...scopedVars, ...scope(panel.repeat, value) },
      at: {
        x: isVertical ? x : (index % perLine) * width,
        y: moved + Math.floor(index / perLine) * h,
        w: width,
        h,
      },
    }));
  });
}
