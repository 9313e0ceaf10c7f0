export const title = 'PD Monitor 能回答什么';
export const intro =
  '选择您想知道的内容；PD Monitor 会找到指标、它在您的引擎上的名字、导出它的角色、重复它的 rank 以及单位。点击示例即可使用。';

export const examples = {
  prefill: {
    title: '每秒预填充请求数，按模型',
    text: '三条可比曲线中的第一条，另两条是 KV 传输与解码。',
  },
  transfer: {
    title: '每秒 KV 传输请求数，按模型',
    text: '传输字节数除以单请求 KV 字节数。字节数在数据源设置中填写。',
  },
  decode: {
    title: '每秒解码请求数，按模型',
    text: '第三条曲线：同样的窗口、同样的计数、同一坐标轴。',
  },
  ttft: {
    title: '首 token 时延 P99，按模型',
    text: '先合并桶再取分位数。两种角色都上报时，各为一条曲线。',
  },
  heatmap: {
    title: 'token 间时延热力图',
    text: '每个桶随时间的变化：两条带就是两类步骤，分位数看不出来。',
  },
  share: {
    title: '一秒内出首 token 的请求比例',
    text: '服务等级目标所问。上限须恰为某个桶的边界。',
  },
  usage: {
    title: '解码实例的 KV 缓存使用率',
    text: '仪表值，原样显示，不求导。',
  },
  waiting: {
    title: '等待预填充的请求',
    text: '预填充前的队列，按实例。',
  },
};
