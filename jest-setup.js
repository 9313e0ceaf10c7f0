import './.config/jest-setup';
import { configure } from '@testing-library/react';

// What these editors do not want to show they do not render.
configure({ defaultHidden: true, asyncUtilTimeout: 5000 });

// jsdom matches every rule of every style sheet on each call, which was most of the time of a test. No test here is
// about styles, so the inline ones will do.
window.getComputedStyle = (element) => element.style;

// react-dom/server, pulled in by @grafana/ui, needs MessageChannel; jsdom has none.
class MessageChannelStub {
  constructor() {
    this.port1 = { onmessage: null, postMessage() {}, close() {} };
    this.port2 = { postMessage: () => setTimeout(() => this.port1.onmessage?.({}), 0), close() {} };
  }
}

class ObserverStub {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
}

global.MessageChannel ??= MessageChannelStub;
global.ResizeObserver ??= ObserverStub;
global.IntersectionObserver ??= ObserverStub;
window.grafanaBootData ??= { settings: { featureToggles: {} }, user: { locale: 'en-US' }, navTree: [] };

// Combobox measures text on a canvas.
HTMLCanvasElement.prototype.getContext = () => ({ measureText: (text) => ({ width: text.length * 8 }) });

// The virtualised Combobox menu renders nothing unless elements have a size.
for (const key of ['offsetHeight', 'offsetWidth', 'clientHeight', 'clientWidth']) {
  const owner = key.startsWith('offset') ? HTMLElement.prototype : Element.prototype;
  Object.defineProperty(owner, key, { configurable: true, value: 300 });
}
Object.defineProperty(Element.prototype, 'getBoundingClientRect', {
  configurable: true,
  value: () => ({ width: 120, height: 120, top: 0, left: 0, bottom: 0, right: 0 }),
});
