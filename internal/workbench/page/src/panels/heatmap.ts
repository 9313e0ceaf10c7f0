import {
  DataFrameType,
  FieldType,
  formattedValueToString,
  getFieldDisplayName,
  getValueFormat,
  type DataFrame,
} from '@grafana/data';

/** Counts by time and bucket; rows go from the lowest bucket up. */
export interface Heatmap {
  times: number[];
  /** Distance of the columns, in ms. */
  step: number;
  buckets: string[];
  /** counts[bucket][time] */
  counts: Array<Array<number | null>>;
  max: number;
}

/** The upper end of a bucket, from its label or its name. */
function upperEnd(text: string): number {
  const value = text === '+Inf' ? Infinity : Number(text);
  return Number.isNaN(value) ? NaN : value;
}

/**
 * Reads one number field for each bucket, in one frame or in several, as Prometheus data sources deliver heatmaps: each
 * with the count of its own bucket, not of all below. Of several whole heatmaps the last is drawn, as in Grafana.
 */
export function readHeatmap(frames: DataFrame[], unit = 'short'): Heatmap | undefined {
  const whole = frames.filter(({ meta }) => meta?.type === DataFrameType.HeatmapRows);
  const rows = (whole.length > 0 ? whole.slice(-1) : frames).flatMap((frame) => {
    const time = frame.fields.find(({ type }) => type === FieldType.time);
    return frame.fields
      .filter(({ type }) => type === FieldType.number)
      .map((field) => {
        const name = field.labels?.le ?? getFieldDisplayName(field, frame, frames);
        return { name, end: upperEnd(name), times: time?.values ?? [], values: field.values };
      });
  });
  if (rows.length === 0) {
    return undefined;
  }
  const isOrdered = rows.every(({ end }) => !Number.isNaN(end));
  const ordered = isOrdered ? [...rows].sort((a, b) => a.end - b.end) : rows;
  const times = [...new Set(rows.flatMap(({ times: own }) => own as number[]))].sort((a, b) => a - b);
  const column = new Map(times.map((at, index) => [at, index]));
  const counts = ordered.map(({ times: own, values }) => {
    const line: Array<number | null> = Array(times.length).fill(null);
    (own as number[]).forEach((at, index) => (line[column.get(at) ?? 0] = values[index]));
    return line;
  });
  const distances = times.slice(1).map((at, index) => at - times[index]);
  const format = getValueFormat(unit);
  return {
    times,
    step: distances.length > 0 ? Math.min(...distances) : 1000,
    buckets: ordered.map(({ name, end }) => (Number.isFinite(end) ? formattedValueToString(format(end)) : name)),
    counts,
    max: Math.max(0, ...counts.flat().map((count) => count ?? 0)),
  };
}
