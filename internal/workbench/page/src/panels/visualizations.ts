import type { ComponentType } from 'react';

import { BarGaugePanel } from './BarGaugePanel';
import { GaugePanel } from './GaugePanel';
import { HeatmapPanel } from './HeatmapPanel';
import { StatPanel } from './StatPanel';
import { TablePanel } from './TablePanel';
import { TimeSeriesPanel } from './TimeSeriesPanel';
import type { VisualizationProps } from './types';

/** The kinds of panels that show the answer of a query. */
export const visualizations: Record<string, ComponentType<VisualizationProps> | undefined> = {
  timeseries: TimeSeriesPanel,
  stat: StatPanel,
  gauge: GaugePanel,
  bargauge: BarGaugePanel,
  table: TablePanel,
  heatmap: HeatmapPanel,
};
