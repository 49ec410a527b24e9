import type { ChannelDetails, DemoLine } from '../../api/gateway-api.ts'

/** Whether a message never reached the bot and never will: it was said in a gap that the service has noted. */
export const isMissed = ({ by, way, at }: DemoLine, gaps: ChannelDetails['gaps'] = []): boolean =>
  by === 'person' && way === 'sent' && gaps.some(({ from, to }) => from <= at && at <= to)
