import { Table } from '@grafana/ui';
import React from 'react';

import * as texts from '../texts';
import type { VisualizationProps } from './types';

/** The first frame as a table; the panel's transformations make one of several. */
export function TablePanel({ frames, width, height, options, fieldConfig, range }: VisualizationProps) {
  const sortBy = options.sortBy as Array<{ displayName: string; desc?: boolean }> | undefined;
  return (
    <Table
      ariaLabel={texts.query.table}
      data={frames[0]}
      width={width}
      height={height}
      timeRange={range}
      fieldConfig={fieldConfig}
      initialSortBy={sortBy}
      noHeader={options.showHeader === false}
    />
  );
}
