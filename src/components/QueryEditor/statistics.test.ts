import { catalog } from '../../testing/fixtures';
import { chosen } from './statistics';

const ttft = catalog.signals.find(({ id }) => id === 'ttft')!;

describe('what is typed as a statistic', () => {
  it.each([
    ['heat', { stat: 'heatmap', format: 'time_series' }],
    ['Heatmap', { stat: 'heatmap', format: 'time_series' }],
    [' MEAN ', { stat: 'mean' }],
    ['share', { stat: 'under' }],
    ['rate', { stat: 'rate' }],
    ['p99.5', { stat: 'quantile', quantile: 0.995 }],
    ['0.5', { stat: 'quantile', quantile: 0.5 }],
  ])('%j is understood', (text, patch) => {
    expect(chosen(ttft, text)).toEqual(patch);
  });

  it.each(['', 'skew', 'median', '150'])('%j is refused: it is nothing that the signal has', (text) => {
    expect(chosen(ttft, text)).toBeUndefined();
  });
});
