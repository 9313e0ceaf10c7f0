import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';

export const getStyles = (theme: GrafanaTheme2) => ({
  list: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(2) }),
  entry: css({
    display: 'flex',
    flexDirection: 'column',
    gap: theme.spacing(2),
    minWidth: 0,
    padding: theme.spacing(2),
    border: `1px solid ${theme.colors.border.weak}`,
    borderRadius: theme.shape.radius.default,
    '&:focus-visible': { outline: `2px solid ${theme.colors.primary.main}`, outlineOffset: 2 },
  }),
  row: css({ display: 'flex', flexWrap: 'wrap', gap: theme.spacing(2), alignItems: 'flex-start' }),
  grid: css({
    display: 'grid',
    gridTemplateColumns: `repeat(auto-fill, ${theme.spacing(26)})`,
    gap: theme.spacing(2),
    alignItems: 'start',
  }),
  end: css({ marginLeft: 'auto', marginTop: theme.spacing(0.5) }),
  hidden: css({ position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' }),
  note: css({ margin: 0, color: theme.colors.text.secondary, fontSize: theme.typography.bodySmall.fontSize }),
  below: css({ marginTop: theme.spacing(1) }),
  code: css({ fontFamily: theme.typography.fontFamilyMonospace, fontSize: theme.typography.bodySmall.fontSize }),
});
