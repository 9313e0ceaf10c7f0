import { css } from '@emotion/css';
import {
  formattedValueToString,
  getActiveThreshold,
  VizOrientation,
  type FieldDisplay,
  type GrafanaTheme2,
  type Threshold,
} from '@grafana/data';
import { useStyles2, useTheme2, VizRepeater } from '@grafana/ui';
import React from 'react';

import type { VisualizationProps } from './types';
import { displayValues } from './values';

/** The arc is open at the bottom; angles are in degrees, clockwise from the top. */
const START = -120;
const SPAN = 240;

export function GaugePanel(props: VisualizationProps) {
  return (
    <VizRepeater
      getValues={() => displayValues(props, false)}
      source={props.frames}
      renderCounter={0}
      width={props.width}
      height={props.height}
      orientation={(props.options.orientation as VizOrientation | undefined) ?? VizOrientation.Auto}
      autoGrid
      renderValue={({ value, width, height }) => <Gauge value={value} width={width} height={height} />}
    />
  );
}

function point(radius: number, degrees: number): string {
  const radians = ((degrees - 90) * Math.PI) / 180;
  return `${(radius * Math.cos(radians)).toFixed(2)} ${(radius * Math.sin(radians)).toFixed(2)}`;
}

function arc(radius: number, from: number, to: number): string {
  const isLarge = to - from > 180 ? 1 : 0;
  return `M ${point(radius, from)} A ${radius} ${radius} 0 ${isLarge} 1 ${point(radius, to)}`;
}

interface GaugeProps {
  value: FieldDisplay;
  width: number;
  height: number;
}

/** Grafana's own gauge is not exported by its package. */
function Gauge({ value: { display, field }, width, height }: GaugeProps) {
  const theme = useTheme2();
  const styles = useStyles2(getStyles);
  const min = field.min ?? 0;
  const max = field.max ?? 100;
  const share = (at: number) => Math.min(1, Math.max(0, (at - min) / (max - min || 1)));
  const angle = (at: number) => START + SPAN * share(at);
  const steps = field.thresholds?.steps ?? [];
  const text = formattedValueToString(display);
  const title = display.title ?? '';
  const isValue = Number.isFinite(display.numeric);
  return (
    <figure className={styles.gauge} style={{ width, height }}>
      <svg
        viewBox="-52 -52 104 84"
        width={width}
        height={Math.max(0, height - 22)}
        role="img"
        aria-label={title ? `${title}: ${text}` : text}
      >
        <path d={arc(40, START, START + SPAN)} className={styles.track} strokeWidth={12} />
        {isValue && share(display.numeric) > 0 && (
          <path d={arc(40, START, angle(display.numeric))} stroke={display.color} fill="none" strokeWidth={12} />
        )}
        {steps.map((step: Threshold, index) => {
          const from = angle(Math.max(min, step.value));
          const to = index + 1 < steps.length ? angle(steps[index + 1].value) : START + SPAN;
          const color = theme.visualization.getColorByName(getActiveThreshold(step.value, steps).color);
          return to > from ? (
            <path key={index} d={arc(49, from, to)} stroke={color} fill="none" strokeWidth={3} />
          ) : null;
        })}
        <text
          y={6}
          textAnchor="middle"
          className={styles.value}
          style={{ fill: display.color ?? theme.colors.text.primary }}
        >
          {text}
        </text>
      </svg>
      <figcaption className={styles.title}>{title}</figcaption>
    </figure>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  gauge: css({ display: 'flex', flexDirection: 'column', alignItems: 'center', margin: 0, overflow: 'hidden' }),
  track: css({ stroke: theme.colors.background.secondary, fill: 'none' }),
  value: css({ fontSize: 16, fontWeight: theme.typography.fontWeightMedium }),
  title: css({
    maxWidth: '100%',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    color: theme.colors.text.secondary,
    fontSize: theme.typography.bodySmall.fontSize,
  }),
});
