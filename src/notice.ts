import type { DataFrame, DataQueryResponse } from '@grafana/data';

import type { Notice } from './types';

/** Adds what the front end alone can know to the answers of some queries. */
export function withNotice(answer: DataQueryResponse, refIds: string[], notice: Notice): DataQueryResponse {
  const noticed = (frame: DataFrame): DataFrame => ({
    ...frame,
    meta: { ...frame.meta, notices: [...(frame.meta?.notices ?? []), notice] },
  });
  return {
    ...answer,
    data: answer.data.map((frame: DataFrame) => (refIds.includes(frame.refId ?? '') ? noticed(frame) : frame)),
  };
}
