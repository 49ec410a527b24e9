import type { ChannelDetails, DemoLine } from '../../api/gateway-api.ts'

/** Reports whether a message was lost: it was sent during a gap. */
export const isLost = ({ by, way, at }: DemoLine, gaps: ChannelDetails['gaps'] = []): boolean =>
  by === 'person' && way === 'sent' && gaps.some(({ from, to }) => from <= at && at <= to)
