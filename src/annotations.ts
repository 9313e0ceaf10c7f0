import {
  FieldType,
  getFieldDisplayName,
  type AnnotationEvent,
  type AnnotationQuery,
  type AnnotationSupport,
  type DataFrame,
} from '@grafana/data';
import { of } from 'rxjs';

import { AnnotationQueryEditor } from './components/AnnotationQueryEditor';
import { eventQuery, kindOf } from './events';
import { migrateQuery } from './migrate';
import * as texts from './texts';
import type { PDQuery } from './types';

/** A series becomes one event for each stretch in which it is above zero. */
function eventsOf(anno: AnnotationQuery<PDQuery>, frame: DataFrame, all: DataFrame[]): AnnotationEvent[] {
  const times = frame.fields.find(({ type }) => type === FieldType.time);
  const values = frame.fields.find(({ type }) => type === FieldType.number);
  if (!times || !values) {
    return [];
  }
  const step = times.config.interval ?? 0;
  // A mark is read without the query beside it: an engine's name alone does not say what happened to it.
  const kind = anno.target && kindOf(migrateQuery(anno.target));
  const text = [kind && texts.annotation.kinds[kind].label, getFieldDisplayName(values, frame, all)]
    .filter(Boolean)
    .join(': ');
  const events: AnnotationEvent[] = [];
  times.values.forEach((time: number, index) => {
    if (!(values.values[index] > 0)) {
      return;
    }
    const last = events.at(-1);
    if (last?.timeEnd !== undefined && time - last.timeEnd <= step) {
      last.timeEnd = time;
      last.isRegion = true;
    } else {
      events.push({ annotation: anno, time, timeEnd: time, text, tags: Object.values(values.labels ?? {}) });
    }
  });
  return events;
}

/** Something that happens now and then, so that the first annotation marks something and not everything. */
const defaultQuery = () => eventQuery('transferFailures');

export const annotationSupport: AnnotationSupport<PDQuery> = {
  QueryEditor: AnnotationQueryEditor,
  getDefaultQuery: defaultQuery,
  // What the editor shows at first is also what is saved; dashboards of the second schema keep it in `query`.
  prepareAnnotation: (anno: AnnotationQuery<PDQuery>) =>
    anno.target || 'query' in anno ? anno : { ...anno, target: { ...defaultQuery(), refId: 'Anno' } },
  processEvents: (anno, frames) => of(frames.flatMap((frame) => eventsOf(anno, frame, frames))),
};
