import { Button } from '@grafana/ui';
import React, { useId, useState, type PropsWithChildren } from 'react';

interface Props {
  label: string;
  /** Shown beside the label while closed, so that a choice inside is not forgotten. */
  summary?: string;
  /** Where somebody else has to know whether it is open; else it keeps that itself. */
  isOpen?: boolean;
  onToggle?: () => void;
}

export function Fold({ label, summary, isOpen, onToggle, children }: PropsWithChildren<Props>) {
  const id = useId();
  const [own, setOwn] = useState(false);
  const open = isOpen ?? own;
  return (
    <div>
      <Button
        type="button"
        size="sm"
        variant="secondary"
        fill="text"
        icon={open ? 'angle-down' : 'angle-right'}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={onToggle ?? (() => setOwn(!own))}
      >
        {summary && !open ? `${label}: ${summary}` : label}
      </Button>
      {open && <div id={id}>{children}</div>}
    </div>
  );
}
