import React from 'react';

import * as texts from '../texts';
import type { System } from '../types';
import { checkPrefixes } from '../validate';
import { TextSetting } from './TextSetting';

interface Props {
  disabled: boolean;
  prefixes: Record<string, string[]>;
  onChange: (prefixes: Record<string, string[]> | undefined) => void;
}

/** Systems whose metrics carry a prefix that gateways and operators are known to rename. */
const RENAMED = [
  ...([
    'vllm',
    'sglang',
    'flagcx',
    'nixl',
    'mooncake',
    'lmcache',
    'lmcache_mp',
    'dynamo',
    'dcgm',
    'rdma',
  ] satisfies System[]),
];

/** The empty prefix is a real choice and needs a word of its own in a text field. */
const NONE = 'none';

function toList(text: string): string[] {
  return text
    .split(',')
    .map((prefix) => prefix.trim())
    .filter(Boolean)
    .map((prefix) => (prefix === NONE ? '' : prefix));
}

function toText(prefixes: string[]): string {
  return prefixes.map((prefix) => prefix || NONE).join(', ');
}

export function PrefixesEditor({ disabled, prefixes, onChange }: Props) {
  const systems = [...new Set<string>([...RENAMED, ...Object.keys(prefixes)])];
  return (
    <>
      {systems.map((system) => (
        <TextSetting
          key={system}
          disabled={disabled}
          id={`pd-prefixes-${system}`}
          label={texts.config.prefixesLabel(texts.systems[system] ?? system)}
          placeholder={texts.config.prefixesPlaceholder}
          value={toText(prefixes[system] ?? [])}
          check={checkPrefixes}
          onChange={(text) => {
            const { [system]: _, ...others } = prefixes;
            const list = toList(text);
            const next = list.length > 0 ? { ...others, [system]: list } : others;
            onChange(Object.keys(next).length > 0 ? next : undefined);
          }}
          width={40}
        />
      ))}
    </>
  );
}
