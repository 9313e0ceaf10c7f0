import type { DataFrame, FieldConfigSource, TimeRange } from '@grafana/data';

/** What a kind of panel is given to draw. The frames have their field configuration applied. */
export interface VisualizationProps {
  frames: DataFrame[];
  fieldConfig: FieldConfigSource;
  options: Record<string, unknown>;
  range: TimeRange;
  width: number;
  height: number;
  onSelectRange?: (from: number, to: number) => void;
}
