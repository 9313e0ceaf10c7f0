import { css } from '@emotion/css';
import { renderMarkdown, type GrafanaTheme2 } from '@grafana/data';
import { RenderUserContentAsHTML, useStyles2 } from '@grafana/ui';
import readme from 'plugin/README.md';
import React from 'react';

/** What Grafana shows of the plugin in its catalogue. */
export function PluginPage() {
  const styles = useStyles2(getStyles);
  return (
    <div className={styles.text}>
      <RenderUserContentAsHTML className="markdown-html" content={renderMarkdown(readme)} />
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  text: css({ maxWidth: theme.breakpoints.values.md, margin: '0 auto' }),
});
