import {
  applyFieldOverrides,
  FieldColorModeId,
  FieldConfigOptionsRegistry,
  ThresholdsMode,
  type DataFrame,
  type FieldConfig,
  type FieldConfigPropertyItem,
  type FieldConfigSource,
  type ScopedVars,
} from '@grafana/data';
import { config } from '@grafana/runtime';

import { templates } from '../runtime/templates';

/** Options of every panel, by their path in a field's configuration. Grafana's own list is part of its core. */
const STANDARD = [
  ...[
    'displayName',
    'displayNameFromDS',
    'unit',
    'min',
    'max',
    'decimals',
    'noValue',
    'color',
    'thresholds',
    'mappings',
  ],
  ...['links', 'actions', 'filterable', 'description', 'fieldMinMax', 'nullValueMode'],
];

/** Options of single kinds of panels, below `custom`. */
const CUSTOM = [
  // Time series
  ...['drawStyle', 'lineWidth', 'lineStyle', 'lineInterpolation', 'fillOpacity', 'fillBelowTo', 'gradientMode'],
  ...[
    'showPoints',
    'pointSize',
    'spanNulls',
    'insertNulls',
    'stacking',
    'barAlignment',
    'barWidthFactor',
    'barMaxWidth',
  ],
  ...['axisPlacement', 'axisLabel', 'axisWidth', 'axisSoftMin', 'axisSoftMax', 'axisGridShow', 'axisColorMode'],
  ...['axisBorderShow', 'axisCenteredZero', 'scaleDistribution', 'thresholdsStyle', 'transform', 'hideFrom', 'neutral'],
  // Table
  ...['width', 'minWidth', 'align', 'cellOptions', 'hidden', 'inspect', 'wrapText'],
];

const NoEditor = () => null;

function property(path: string, isCustom: boolean): FieldConfigPropertyItem {
  return {
    id: isCustom ? `custom.${path}` : path,
    path,
    name: path,
    isCustom,
    editor: NoEditor,
    override: NoEditor,
    process: (value: unknown) => value,
    shouldApply: () => true,
  };
}

/** Without a registry that knows them, the defaults and overrides of a dashboard would be dropped without a word. */
const registry = new FieldConfigOptionsRegistry(() => [
  ...STANDARD.map((path) => property(path, false)),
  ...CUSTOM.map((path) => property(path, true)),
]);

/** What Grafana takes where a dashboard says nothing: lines get colours of their own, numbers those of thresholds. */
function defaultsOf(type: string): FieldConfig {
  if (type === 'timeseries') {
    return { color: { mode: FieldColorModeId.PaletteClassic } };
  }
  return {
    color: { mode: FieldColorModeId.Thresholds },
    thresholds: {
      mode: ThresholdsMode.Absolute,
      steps: [
        { value: -Infinity, color: 'green' },
        { value: 80, color: 'red' },
      ],
    },
  };
}

/** JSON has no infinity: the first threshold is stored as null. */
function withBase({ thresholds, ...defaults }: FieldConfig): FieldConfig {
  if (!thresholds) {
    return defaults;
  }
  const steps = thresholds.steps.map((step) => ({ ...step, value: step.value ?? -Infinity }));
  return { ...defaults, thresholds: { ...thresholds, steps } };
}

/** The frames as the panel's field configuration wants them shown: units, colours, thresholds, names. */
export function configured(
  frames: DataFrame[],
  type: string,
  fieldConfig?: Partial<FieldConfigSource>,
  scopedVars?: ScopedVars
) {
  return applyFieldOverrides({
    data: frames,
    fieldConfig: {
      defaults: withBase({ ...defaultsOf(type), ...fieldConfig?.defaults }),
      overrides: fieldConfig?.overrides ?? [],
    },
    fieldConfigRegistry: registry,
    replaceVariables: (text, vars, format) => templates.replace(text, { ...scopedVars, ...vars }, format),
    theme: config.theme2,
    timeZone: 'browser',
  });
}
