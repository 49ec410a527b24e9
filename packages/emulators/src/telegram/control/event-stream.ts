import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BotEvent, BotState } from '../state.ts'

/** A stream whose reader lags by more than this is closed, bytes; the page then loads anew. */
const LAG_LIMIT = 1024 * 1024

/** Sends what happens to a bot as server-sent events, each `data: <BotEvent as JSON>`. */
export function streamEvents(bot: BotState, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': open\n\n')
  const listener = (event: BotEvent): void => {
    response.write(`data: ${JSON.stringify(event)}\n\n`)
    if (response.writableLength > LAG_LIMIT) response.destroy()
  }
  bot.listeners.add(listener)
  request.once('close', () => bot.listeners.delete(listener))
  response.once('close', () => bot.listeners.delete(listener))
}
