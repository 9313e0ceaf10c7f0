import { locationService } from '@grafana/runtime';
import { useEffect, useState, type MouseEvent } from 'react';

interface Location {
  pathname: string;
  search: string;
}

function current(): Location {
  const { pathname, search } = locationService.getLocation();
  return { pathname, search };
}

/** The address of the page, as it changes. */
export function useLocation(): Location {
  const [location, setLocation] = useState(current);
  useEffect(() => locationService.getHistory().listen(() => setLocation(current())), []);
  return location;
}

/** Takes a click on a link that stays in the workbench, so that the page need not be loaded again. */
export function followLink(event: MouseEvent) {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (
    !link ||
    !isPlain ||
    event.defaultPrevented ||
    link.target === '_blank' ||
    link.origin !== window.location.origin ||
    link.hash !== ''
  ) {
    return;
  }
  event.preventDefault();
  locationService.push(link.pathname + link.search);
}
