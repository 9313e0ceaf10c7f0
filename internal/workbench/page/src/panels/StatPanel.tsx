import { VizOrientation } from '@grafana/data';
import {
  BigValue,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueJustifyMode,
  BigValueTextMode,
  useTheme2,
  VizRepeater,
} from '@grafana/ui';
import React from 'react';

import type { VisualizationProps } from './types';
import { displayValues } from './values';

interface StatOptions {
  graphMode?: BigValueGraphMode;
  colorMode?: BigValueColorMode;
  textMode?: BigValueTextMode;
  justifyMode?: BigValueJustifyMode;
  orientation?: VizOrientation;
}

export function StatPanel(props: VisualizationProps) {
  const theme = useTheme2();
  const options = props.options as StatOptions;
  return (
    <VizRepeater
      getValues={() => displayValues(props, options.graphMode !== BigValueGraphMode.None)}
      source={props.frames}
      renderCounter={0}
      width={props.width}
      height={props.height}
      orientation={options.orientation ?? VizOrientation.Auto}
      autoGrid
      renderValue={({ value, width, height, count }) => (
        <BigValue
          theme={theme}
          value={value.display}
          count={count}
          width={width}
          height={height}
          sparkline={value.sparkline}
          graphMode={options.graphMode ?? BigValueGraphMode.Area}
          colorMode={options.colorMode ?? BigValueColorMode.Value}
          textMode={options.textMode ?? BigValueTextMode.Auto}
          justifyMode={options.justifyMode ?? BigValueJustifyMode.Auto}
        />
      )}
    />
  );
}
