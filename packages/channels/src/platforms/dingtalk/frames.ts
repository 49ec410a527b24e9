import { filled, type Json, object, parseJson, text } from '../wire/json.ts'

/** A frame of the stream, as the server sends it. */
export interface Frame {
  readonly type: string
  readonly topic: string
  /** Of the frame, not of a message in it: a repetition has a new one. */
  readonly messageId: string
  /** JSON text. */
  readonly data: string
}

export const BOT_MESSAGES = '/v1.0/im/bot/messages/get'
export const CARD_ACTIONS = '/v1.0/card/instances/callback'

/** `null` when this is no frame. */
export function readFrame(raw: string): Frame | null {
  const frame = object(parseJson(raw))
  const headers = object(frame?.['headers'])
  const type = filled(frame?.['type'])
  if (frame === undefined || type === undefined || headers === undefined) return null
  return {
    type,
    topic: text(headers['topic']) ?? '',
    messageId: text(headers['messageId']) ?? '',
    data: text(frame['data']) ?? '',
  }
}

/** What a frame is answered with; `null`: it wants no answer. Messages are not answered here: they are stored first. */
export function answerTo(frame: Frame): string | null {
  if (frame.type === 'SYSTEM') {
    return frame.topic === 'ping' ? answerFrame(frame, 200, object(parseJson(frame.data)) ?? {}) : null
  }
  if (frame.type === 'EVENT') return answerFrame(frame, 200, { status: 'SUCCESS' })
  if (frame.type !== 'CALLBACK') return null
  return frame.topic === CARD_ACTIONS ? answerFrame(frame, 200, { response: {} }) : answerFrame(frame, 404, {})
}

const WORDS = { 200: 'OK', 404: 'not found', 500: 'not stored' } as const

export const answerFrame = ({ messageId }: Frame, code: keyof typeof WORDS, data: Json): string =>
  JSON.stringify({
    code,
    message: WORDS[code],
    headers: { messageId, contentType: 'application/json' },
    data: JSON.stringify(data),
  })
