import { css } from '@emotion/css';
import { dateTimeFormat, type GrafanaTheme2, type TimeRange } from '@grafana/data';
import { useStyles2, useTheme2 } from '@grafana/ui';
import React, { useEffect, useMemo, useRef, useState, type PointerEvent } from 'react';

import * as texts from '../texts';
import { readHeatmap, type Heatmap } from './heatmap';
import type { VisualizationProps } from './types';

const AXIS = { left: 64, bottom: 22, top: 6, right: 8 };

/** From nothing to most, on a square-root scale so that rare slow observations are seen beside many fast ones. */
function shade(theme: GrafanaTheme2, share: number): string {
  const lightness = theme.isDark ? 18 + 52 * share : 92 - 52 * share;
  return `hsl(${28 - 10 * share} 90% ${lightness}%)`;
}

interface Box {
  width: number;
  height: number;
}

function plotOf({ width, height }: Box) {
  return { width: width - AXIS.left - AXIS.right, height: height - AXIS.top - AXIS.bottom };
}

function draw(context: CanvasRenderingContext2D, map: Heatmap, range: TimeRange, box: Box, theme: GrafanaTheme2) {
  const plot = plotOf(box);
  const from = range.from.valueOf();
  const span = Math.max(1, range.to.valueOf() - from);
  const x = (at: number) => AXIS.left + ((at - from) / span) * plot.width;
  const rowHeight = plot.height / map.buckets.length;
  const y = (row: number) => AXIS.top + plot.height - (row + 1) * rowHeight;

  context.clearRect(0, 0, box.width, box.height);
  context.save();
  context.beginPath();
  context.rect(AXIS.left, AXIS.top, plot.width, plot.height);
  context.clip();
  map.counts.forEach((line, row) =>
    line.forEach((count, column) => {
      if (count !== null && count > 0) {
        // A point stands for the time that ends with it.
        const left = x(map.times[column] - map.step);
        context.fillStyle = shade(theme, Math.sqrt(count / map.max));
        context.fillRect(left, y(row), Math.max(1, x(map.times[column]) - left), Math.max(1, rowHeight - 0.5));
      }
    })
  );
  context.restore();

  context.fillStyle = theme.colors.text.primary;
  context.font = `12px ${theme.typography.fontFamily}`;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  const everyRow = Math.max(1, Math.ceil(18 / rowHeight));
  map.buckets.forEach((label, row) => {
    if (row % everyRow === 0) {
      context.fillText(label, AXIS.left - 6, y(row) + rowHeight / 2);
    }
  });
  context.textBaseline = 'top';
  context.textAlign = 'center';
  const ticks = Math.max(2, Math.min(8, Math.floor(plot.width / 110)));
  for (let tick = 0; tick < ticks; tick++) {
    const at = from + (span * (tick + 0.5)) / ticks;
    context.fillText(
      dateTimeFormat(at, { format: span < 86_400_000 ? 'HH:mm:ss' : 'MM-DD HH:mm' }),
      x(at),
      box.height - 16
    );
  }
}

export function HeatmapPanel({ frames, options, fieldConfig, range, width, height }: VisualizationProps) {
  const theme = useTheme2();
  const styles = useStyles2(getStyles);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hovered, setHovered] = useState<{ left: number; top: number; text: string }>();
  const axis = options.yAxis as { unit?: string } | undefined;
  const unit = axis?.unit ?? fieldConfig.defaults?.unit;
  const map = useMemo(() => readHeatmap(frames, unit), [frames, unit]);

  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || !canvas.current || !map) {
      return;
    }
    const ratio = window.devicePixelRatio;
    canvas.current.width = width * ratio;
    canvas.current.height = height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(context, map, range, { width, height }, theme);
  }, [map, range, width, height, theme]);

  if (!map) {
    return null;
  }
  const hover = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent) => {
    const plot = plotOf({ width, height });
    const at =
      range.from.valueOf() + ((offsetX - AXIS.left) / plot.width) * (range.to.valueOf() - range.from.valueOf());
    const row = Math.floor(((plot.height + AXIS.top - offsetY) / plot.height) * map.buckets.length);
    const column = map.times.findIndex((time) => time >= at && time - map.step < at);
    const count = map.counts[row]?.[column];
    setHovered(
      count === undefined || count === null
        ? undefined
        : {
            left: offsetX,
            top: offsetY,
            text: `${dateTimeFormat(map.times[column])}\n≤ ${map.buckets[row]}: ${Number(count.toPrecision(4))}`,
          }
    );
  };
  return (
    <div className={styles.root}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={texts.panel.buckets}
        style={{ width, height }}
        onPointerMove={hover}
        onPointerLeave={() => setHovered(undefined)}
      />
      {hovered && (
        <div
          className={styles.tooltip}
          style={{ left: Math.min(hovered.left + 12, width - 180), top: hovered.top + 12 }}
        >
          {hovered.text}
        </div>
      )}
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  root: css({ position: 'relative' }),
  tooltip: css({
    position: 'absolute',
    pointerEvents: 'none',
    whiteSpace: 'pre',
    padding: theme.spacing(1),
    fontSize: theme.typography.bodySmall.fontSize,
    background: theme.colors.background.elevated,
    border: `1px solid ${theme.colors.border.weak}`,
    borderRadius: theme.shape.radius.default,
    boxShadow: theme.shadows.z2,
  }),
});
