import { isRecord, parseJson } from '../kit/http.ts'

/** Response of a call. */
export interface Answer {
  readonly status: number
  /** JSON, or the content of a file. */
  readonly body: Readonly<Record<string, unknown>> | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** HTTP status and message by error code. */
const API_ERRORS: Readonly<Record<number, readonly [status: number, message: string]>> = {
  1: [200, 'system busy'],
  403: [200, 'forbidden'],
  514: [200, 'auth failed'],
  10003: [200, 'invalid param'],
  10014: [200, 'app secret invalid'],
  11232: [400, 'Request trigger frequency limit'],
  200740: [400, 'The card entity does not exist'],
  200750: [400, 'The card entity has expired'],
  200850: [400, 'Card streaming timeout'],
  200860: [400, 'Card content exceeds limit'],
  230001: [400, 'Your request contains an invalid request parameter.'],
  230002: [400, 'The bot can not be outside the group.'],
  230006: [400, 'Bot ability is not activated.'],
  230011: [400, 'The message is recalled.'],
  230013: [400, 'Bot has NO availability to this user.'],
  230018: [400, 'These operations are NOT allowed at current group settings.'],
  230020: [400, 'This operation triggers the frequency limit.'],
  230022: [400, 'The content of the message contains sensitive information.'],
  230025: [400, 'The length of the message content reaches its limit.'],
  230027: [400, 'Lack of necessary permissions.'],
  230028: [400, 'The messages do NOT pass the audit.'],
  230031: [400, 'The message has exceeded the time that can be updated.'],
  230054: [400, 'This operation is not supported for this message type.'],
  230055: [400, 'The type of file upload does not match the type of message being sent.'],
  230071: [400, 'The operator is not the sender of the message.'],
  230072: [400, 'The message has reached the number of times it can be edited.'],
  230099: [400, 'Failed to create card content'],
  231001: [400, 'reaction type is invalid.'],
  231003: [400, 'The message is not found, maybe not exist or deleted.'],
  231011: [400, 'The reaction is not found.'],
  234001: [400, 'Invalid request param.'],
  234006: [400, 'The file size exceed the max value.'],
  234010: [400, "File's size can't be 0."],
  234003: [400, 'File not in msg.'],
  300302: [400, 'update_multi property is false'],
  300309: [400, 'Streaming mode is closed'],
  300313: [400, 'The element does not exist'],
  300317: [400, 'sequence number compare failed'],
  99991400: [429, 'request trigger frequency limit'],
  99991661: [400, 'Missing access token for authorization. Please make a request with token attached.'],
  99991663: [400, 'Invalid access token for authorization. Please make a request with token attached.'],
  99991668: [400, 'Invalid access token for authorization. Please make a request with token attached.'],
  99991669: [400, 'Invalid access token for authorization. Please make a request with token attached.'],
  99991672: [400, 'Access denied. One of the following scopes is required.'],
  1000040343: [200, 'internal error'],
  1000040346: [200, 'app id invalid'],
  1000040350: [200, 'too many connections'],
}

/** Returns a success. */
export const success = (data: Readonly<Record<string, unknown>> = {}): Answer => ({
  status: 200,
  body: { code: 0, msg: 'success', data },
})

/** Returns an error of the platform. @param text Default: its usual message. */
export function apiError(code: number, text?: string, more: Readonly<Record<string, unknown>> = {}): Answer {
  const [status, message] = API_ERRORS[code] ?? [400, 'Unknown error.']
  return { status, body: { code, msg: text ?? message, ...more } }
}

/** Returns error 230001 with details. */
export const invalidParameter = (what: string): Answer =>
  apiError(230001, `Your request contains an invalid request parameter, ext=${what}`)

/** Parses JSON inside a string field; `null` unless it is an object. */
export function parseInnerJson(text: unknown): Readonly<Record<string, unknown>> | null {
  const value = typeof text === 'string' ? parseJson(text) : undefined
  return isRecord(value) ? value : null
}

/** Returns a string unchanged, and '' for anything else. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
