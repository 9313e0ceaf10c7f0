import { createDataFrame, FieldType, type AnnotationQuery } from '@grafana/data';
import { lastValueFrom } from 'rxjs';

import { annotationSupport } from './annotations';
import { DEFAULT_QUERY } from './migrate';
import type { PDQuery } from './types';

const anno: AnnotationQuery<PDQuery> = { name: 'Failures', enable: true, iconColor: 'red' };

function series(model: string, values: Array<number | null>) {
  return createDataFrame({
    fields: [
      { name: 'Time', type: FieldType.time, values: values.map((_, at) => at * 1000), config: { interval: 1000 } },
      {
        name: 'Value',
        type: FieldType.number,
        values,
        labels: { model },
        config: { displayNameFromDS: `Failures ${model}` },
      },
    ],
  });
}

async function events(...frames: Array<ReturnType<typeof createDataFrame>>) {
  return eventsFor(anno, ...frames);
}

async function eventsFor(asking: AnnotationQuery<PDQuery>, ...frames: Array<ReturnType<typeof createDataFrame>>) {
  const observable = annotationSupport.processEvents?.(asking, frames);
  return observable && (await lastValueFrom(observable));
}

it('makes an event of each stretch above zero, named as the series', async () => {
  expect(await events(series('a', [0, 1, 2, null, 0, 3]), series('b', [0, null]))).toMatchObject([
    { time: 1000, timeEnd: 2000, isRegion: true, text: 'Failures a', tags: ['a'] },
    { time: 5000, timeEnd: 5000, text: 'Failures a', tags: ['a'] },
  ]);
});

it('says what happened, not only to whom', async () => {
  const restarts = { ...anno, target: { ...DEFAULT_QUERY, refId: 'Anno', signal: 'engine_restarts' } };
  expect(await eventsFor(restarts, series('a', [1]))).toMatchObject([{ text: 'Engine restarts: Failures a' }]);
});

it('makes none of a frame without numbers', async () => {
  expect(await events(createDataFrame({ fields: [{ name: 'x', type: FieldType.string, values: ['y'] }] }))).toEqual([]);
});

it('saves what the editor shows at first, and leaves a chosen query alone', () => {
  expect(annotationSupport.prepareAnnotation?.({ ...anno }).target).toEqual({
    ...DEFAULT_QUERY,
    signal: 'transfer_failure_rate',
    refId: 'Anno',
  });
  const chosen = { ...anno, target: { ...DEFAULT_QUERY, signal: 'abort_rate', refId: 'Anno' } };
  expect(annotationSupport.prepareAnnotation?.(chosen)).toBe(chosen);
});
