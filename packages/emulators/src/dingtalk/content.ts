import { isRecord, parseJson } from '../kit/body.ts'
import type { ChatFile } from '../kit/world.ts'
import { DingtalkFailure } from './faults.ts'
import type { DingtalkState } from './state.ts'

type Fields = Readonly<Record<string, unknown>>

/** A message as people see it. */
export interface Content {
  readonly text: string
  readonly files: readonly ChatFile[]
}

/** Longest body of a message, bytes. */
const BODY_BYTES = 20_000
const FILE_TYPES: ReadonlySet<unknown> = new Set(['doc', 'docx', 'xls', 'xlsx', 'ppt', 'pptx', 'pdf', 'zip', 'rar'])

/** @throws {DingtalkFailure} 460101 */
export function checkSize(bytes: Uint8Array): void {
  if (bytes.length > BODY_BYTES) throw new DingtalkFailure(460101)
}

/** What `msgKey` and `msgParam` of the API show. @throws {DingtalkFailure} */
export function templateContent(state: DingtalkState, fields: Fields): Content {
  const { msgKey, msgParam } = fields
  const parameter = typeof msgParam === 'string' ? parseJson(msgParam) : undefined
  if (!isRecord(parameter)) throw new DingtalkFailure('invalidParameter', 'msgParam is not JSON text')
  switch (msgKey) {
    case 'sampleText':
      return { text: requireText(parameter, 'content'), files: [] }
    case 'sampleMarkdown':
      requireText(parameter, 'title')
      return { text: requireText(parameter, 'text'), files: [] }
    case 'sampleImageMsg':
      return imageContent(state, requireText(parameter, 'photoURL'))
    case 'sampleFile':
      return fileContent(state, parameter)
    case 'sampleAudio':
      return { text: '', files: [requireMedia(state, parameter, 'mediaId')] }
    case 'sampleVideo':
      return { text: '', files: [requireMedia(state, parameter, 'videoMediaId')] }
    case 'sampleLink':
    case 'sampleActionCard':
      return { text: `${requireText(parameter, 'title')}\n\n${requireText(parameter, 'text')}`, files: [] }
    default:
      throw new DingtalkFailure('invalidParameter', 'msgKey is unknown')
  }
}

/** What a session webhook takes: text and markdown, no pictures or files. @throws {DingtalkFailure} */
export function webhookContent(fields: Fields): Content {
  const { msgtype } = fields
  const inner = typeof msgtype === 'string' && isRecord(fields[msgtype]) ? fields[msgtype] : null
  if (inner === null) throw new DingtalkFailure(40035)
  if (msgtype === 'text') return { text: requireText(inner, 'content', 40035), files: [] }
  if (msgtype !== 'markdown') throw new DingtalkFailure(40035, 'msgtype is not supported')
  requireText(inner, 'title', 40035)
  return { text: requireText(inner, 'text', 40035), files: [] }
}

/** A picture that cannot be loaded is a message all the same. */
function imageContent(state: DingtalkState, photo: string): Content {
  const file = state.media.get(photo, state.clock.now())
  if (file !== null) return { text: '', files: [file] }
  return { text: /^https?:\/\//.test(photo) ? photo : '', files: [] }
}

function fileContent(state: DingtalkState, parameter: Fields): Content {
  const { bytes } = requireMedia(state, parameter, 'mediaId')
  if (!FILE_TYPES.has(parameter['fileType'])) throw new DingtalkFailure('invalidParameter', 'fileType is not supported')
  return { text: '', files: [{ name: requireText(parameter, 'fileName'), bytes }] }
}

function requireMedia(state: DingtalkState, parameter: Fields, name: string): ChatFile {
  const file = state.media.get(requireText(parameter, name), state.clock.now())
  if (file === null) throw new DingtalkFailure('invalidParameter', `${name} is invalid`)
  return file
}

function requireText(fields: Fields, name: string, code: string | number = 'invalidParameter'): string {
  const value = fields[name]
  if (typeof value !== 'string' || value.trim() === '') throw new DingtalkFailure(code, `${name} is empty`)
  return value
}
