import './.config/jest-setup';

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
