import { getDisplayValueAlignmentFactors, VizOrientation } from '@grafana/data';
import { BarGaugeDisplayMode } from '@grafana/schema';
import { BarGauge, useTheme2, VizRepeater } from '@grafana/ui';
import React from 'react';

import type { VisualizationProps } from './types';
import { displayValues } from './values';

interface BarGaugeOptions {
  displayMode?: BarGaugeDisplayMode;
  orientation?: VizOrientation;
  showUnfilled?: boolean;
}

export function BarGaugePanel(props: VisualizationProps) {
  const theme = useTheme2();
  const options = props.options as BarGaugeOptions;
  const orientation = options.orientation ?? VizOrientation.Auto;
  return (
    <VizRepeater
      getValues={() => displayValues(props, false)}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      source={props.frames}
      renderCounter={0}
      width={props.width}
      height={props.height}
      orientation={orientation}
      itemSpacing={8}
      minVizHeight={16}
      renderValue={({ value, width, height, alignmentFactors, orientation: resolved }) => (
        <BarGauge
          theme={theme}
          value={value.display}
          field={value.field}
          display={value.view?.getFieldDisplayProcessor(value.colIndex ?? 0)}
          width={width}
          height={height}
          orientation={resolved}
          alignmentFactors={alignmentFactors}
          itemSpacing={8}
          displayMode={options.displayMode ?? BarGaugeDisplayMode.Gradient}
          showUnfilled={options.showUnfilled ?? true}
        />
      )}
    />
  );
}
