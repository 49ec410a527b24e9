import { isRecord } from '../kit/body.ts'
import { WecomFailure } from './faults.ts'

/** Longest text, bytes of UTF-8. */
const TEXT_BYTES = 20_480

/** `{content}` as the platform takes it. @throws {WecomFailure} 40058 when it is none, empty or too long */
export function requireText(value: unknown): string {
  const content = isRecord(value) ? value['content'] : undefined
  if (typeof content !== 'string' || content.trim() === '') {
    throw new WecomFailure(40058, 'invalid Request Parameter: content')
  }
  return checkLength(content)
}

/** @throws {WecomFailure} 40058 */
export function checkLength(content: string): string {
  if (Buffer.byteLength(content) > TEXT_BYTES) throw new WecomFailure(40058, 'invalid Request Parameter: content size')
  return content
}

/** Whether anything is seen but the folded part of thoughts. */
export const isVisible = (content: string): boolean =>
  content.replaceAll(/<think>[\s\S]*?(?:<\/think>|$)/g, '').trim() !== ''
