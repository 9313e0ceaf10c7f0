import { Button } from '@grafana/ui';
import React, { useId, useState, type PropsWithChildren } from 'react';

interface Props {
  label: string;
  /** Shown beside the label while closed, so that a choice inside is not forgotten. */
  summary?: string;
}

export function Fold({ label, summary, children }: PropsWithChildren<Props>) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div>
      <Button
        size="sm"
        variant="secondary"
        fill="text"
        icon={isOpen ? 'angle-down' : 'angle-right'}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {summary && !isOpen ? `${label}: ${summary}` : label}
      </Button>
      {isOpen && <div id={id}>{children}</div>}
    </div>
  );
}
