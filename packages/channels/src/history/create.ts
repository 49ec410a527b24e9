import { ChannelError } from '../errors.ts'
import type { ChannelHistory } from './history.ts'

/** Nothing yet. */
export const createHistory = (): ChannelHistory => ({
  conversations: () => Promise.resolve({ items: [], next: null }),
  conversation: () => Promise.reject(new ChannelError('unknown_conversation')),
  deliveries: () => Promise.resolve({ items: [], next: null }),
  traffic: () => Promise.reject(new ChannelError('span_invalid')),
})
