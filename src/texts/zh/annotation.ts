export const kind = '标记';
export const kindHelp = '设置下方的查询。数值大于零期间持续标记。';
export const own = '自定义查询';
export const kinds = {
  restarts: { label: '引擎重启', description: '计数器重新开始' },
  preemptions: { label: '抢占', description: '请求失去 KV 显存' },
  retractions: { label: '回退', description: '请求被退回队列' },
  kvExpiry: { label: 'KV 租约过期', description: 'D 端未及时取走缓存' },
  transferFailures: { label: '传输失败', description: '失败的 KV 传输' },
  bootstrapFailures: { label: '握手失败', description: 'P 端与 D 端未能互相发现' },
  xid: { label: 'XID 错误', description: 'GPU 驱动报告的错误' },
};
