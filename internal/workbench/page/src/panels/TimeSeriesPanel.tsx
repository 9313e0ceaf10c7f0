import {
  DashboardCursorSync,
  dateTimeFormat,
  fieldMatchers,
  FieldMatcherID,
  getFieldDisplayName,
  type DataFrame,
} from '@grafana/data';
import { SortOrder, TooltipDisplayMode, LegendDisplayMode, type VizLegendOptions } from '@grafana/schema';
import {
  getFieldDisplayItems,
  PanelContextProvider,
  SeriesVisibilityChangeMode,
  TimeSeries,
  TooltipPlugin2,
  usePanelContext,
  VizTooltipContent,
  VizTooltipHeader,
  VizTooltipWrapper,
} from '@grafana/ui';
import React, { useMemo, useState } from 'react';

import type { VisualizationProps } from './types';

const LEGEND: VizLegendOptions = {
  showLegend: true,
  displayMode: LegendDisplayMode.List,
  placement: 'bottom',
  calcs: [],
};

/** The hover modes of the tooltip are a const enum that the package does not export. */
const ALL_SERIES_AT_X = 1;

const HOVERED = {
  x: fieldMatchers.get(FieldMatcherID.firstTimeField).get({}),
};

interface TooltipOptions {
  mode?: TooltipDisplayMode;
  sort?: SortOrder;
}

/** Lines over time with legend, crosshair, tooltip and zoom by dragging. */
export function TimeSeriesPanel({ frames, options, range, width, height, onSelectRange }: VisualizationProps) {
  const context = usePanelContext();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => withHidden(frames, hidden), [frames, hidden]);
  const names = useMemo(() => seriesNames(frames), [frames]);

  const toggle = (label: string | string[] | null, mode: SeriesVisibilityChangeMode) => {
    const labels = label === null ? [] : [label].flat();
    setHidden((old) => {
      if (mode === SeriesVisibilityChangeMode.AppendToSelection) {
        return new Set(names.filter((name) => old.has(name) !== labels.includes(name)));
      }
      // A click shows one series alone; a second click on it shows all again.
      const others = names.filter((name) => !labels.includes(name));
      return new Set(others.length === old.size && others.every((name) => old.has(name)) ? [] : others);
    });
  };

  const legend = { ...LEGEND, ...(options.legend as Partial<VizLegendOptions> | undefined) };
  const tooltip = (options.tooltip ?? {}) as TooltipOptions;
  return (
    <PanelContextProvider value={{ ...context, onToggleSeriesVisibility: toggle }}>
      <TimeSeries
        frames={shown}
        structureRev={structure(names, hidden)}
        timeRange={range}
        timeZone="browser"
        width={width}
        height={height}
        legend={legend}
        options={options}
      >
        {(builder, aligned) =>
          tooltip.mode === TooltipDisplayMode.None ? null : (
            <TooltipPlugin2
              config={builder}
              hoverMode={ALL_SERIES_AT_X}
              syncMode={context.sync?.() ?? DashboardCursorSync.Off}
              syncScope={context.eventsScope}
              queryZoom={onSelectRange && (({ from, to }) => onSelectRange(from, to))}
              maxWidth={600}
              render={(_plot, rows, series) => {
                const x = aligned.fields[0];
                const at = rows[0];
                return at === null ? null : (
                  <VizTooltipWrapper>
                    <VizTooltipHeader item={{ label: '', value: dateTimeFormat(x.values[at]) }} isPinned={false} />
                    <VizTooltipContent
                      items={getFieldDisplayItems(
                        aligned.fields,
                        x,
                        rows,
                        series,
                        TooltipDisplayMode.Multi,
                        tooltip.sort ?? SortOrder.Descending,
                        (field) => !field.config.custom?.hideFrom?.viz
                      )}
                    />
                  </VizTooltipWrapper>
                );
              }}
            />
          )
        }
      </TimeSeries>
    </PanelContextProvider>
  );
}

function seriesNames(frames: DataFrame[]): string[] {
  return frames.flatMap((frame) =>
    frame.fields
      .filter((field) => !HOVERED.x(field, frame, frames))
      .map((field) => getFieldDisplayName(field, frame, frames))
  );
}

function withHidden(frames: DataFrame[], hidden: ReadonlySet<string>): DataFrame[] {
  if (hidden.size === 0) {
    return frames;
  }
  return frames.map((frame) => ({
    ...frame,
    fields: frame.fields.map((field) =>
      hidden.has(getFieldDisplayName(field, frame, frames))
        ? {
            ...field,
            config: {
              ...field.config,
              custom: { ...field.config.custom, hideFrom: { viz: true, legend: false, tooltip: true } },
            },
          }
        : field
    ),
  }));
}

/** A number that changes with the series: the chart is set up anew then, and only then. */
function structure(names: string[], hidden: ReadonlySet<string>): number {
  const text = [...names, '|', ...hidden].join('\n');
  return [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) | 0, 7) || 1;
}
