import { ConfigSection } from '@grafana/plugin-ui';
import React from 'react';

import * as texts from '../../texts';
import type { Discovery, PDOptions } from '../../types';
import { checkMatchers } from '../../validate';
import { TextSetting } from '../TextSetting';
import { Names } from './Names';

interface Props {
  disabled: boolean;
  roles: PDOptions['roles'];
  /** What was found, undefined while the server cannot be asked. */
  found?: Discovery;
  onChange: (roles: PDOptions['roles']) => void;
}

/** The matchers that tell roles, each with the engines that it fits. */
export function RolesSection({ disabled, roles, found, onChange }: Props) {
  const update = (role: 'prefill' | 'decode', matcher: string) => {
    const set = Object.entries({ ...roles, [role]: matcher }).filter(([, value]) => value);
    onChange(set.length > 0 ? Object.fromEntries(set) : undefined);
  };
  const telling = (found?.systems ?? []).filter(({ roleBy }) => roleBy === 'label').map(({ title }) => title);
  return (
    <ConfigSection title={texts.config.roles} description={texts.config.rolesHelp}>
      {(['prefill', 'decode'] as const).map((role) => (
        <div key={role}>
          <TextSetting
            disabled={disabled}
            id={`pd-role-${role}`}
            label={texts.config[role]}
            placeholder={`instance=~"${role}.*"`}
            value={roles?.[role] ?? ''}
            check={checkMatchers}
            fault={found?.matchers[role]?.error || undefined}
            onChange={(matcher) => update(role, matcher)}
          />
          <Matching role={role} found={found} />
        </div>
      ))}
      {telling.length > 0 && <p>{texts.found.matchersUnused(telling)}</p>}
    </ConfigSection>
  );
}

function Matching({ role, found }: { role: string; found?: Discovery }) {
  const matched = found?.matchers[role];
  if (!found || !matched || matched.error) {
    return null;
  }
  return (
    <p role="status">
      {matched.count === 0 ? (
        texts.found.matchingNone(found.engines)
      ) : (
        <>
          {texts.found.matching(matched.count, found.engines)}:{' '}
          <Names names={matched.instances} count={matched.count} />
        </>
      )}
    </p>
  );
}
