import { ToolbarButton } from '@grafana/ui';
import { isChinese } from 'plugin/texts/language';
import React from 'react';

import { language, reloadWith } from './choice';
import * as texts from './texts';

/** Leads to the other language, and is written in it. */
export function LanguageButton() {
  return (
    <ToolbarButton lang={isChinese ? 'en' : 'zh'} onClick={() => reloadWith(language, isChinese ? 'en-US' : 'zh-Hans')}>
      {texts.app.otherLanguage}
    </ToolbarButton>
  );
}
