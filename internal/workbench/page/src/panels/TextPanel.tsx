import { css } from '@emotion/css';
import { renderMarkdown, textUtil } from '@grafana/data';
import { RenderUserContentAsHTML, ScrollContainer, useStyles2 } from '@grafana/ui';
import React from 'react';

import { templates } from '../runtime/templates';

export function TextPanel({ options }: { options: Record<string, unknown> }) {
  const styles = useStyles2(() => ({ text: css({ '& > *:last-child': { marginBottom: 0 } }) }));
  const content = templates.replace(String(options.content ?? ''), undefined, 'text');
  return (
    <ScrollContainer minHeight="100%">
      <RenderUserContentAsHTML
        className={`markdown-html ${styles.text}`}
        content={options.mode === 'html' ? textUtil.sanitize(content) : renderMarkdown(content)}
      />
    </ScrollContainer>
  );
}
