import type { Chat, OutboundTextPart } from '../../message.ts'
import { tidyMarkdown, toTitle } from './dialect.ts'
import type { Json } from '../wire/json.ts'

/** A message of the robot API: `msgParam` is JSON text inside of the JSON body. */
export interface RobotMessage {
  readonly msgKey: 'sampleText' | 'sampleMarkdown' | 'sampleImageMsg' | 'sampleFile'
  readonly msgParam: string
}

const toMarkdown = ({ body }: OutboundTextPart): Json => ({ title: toTitle(body), text: tidyMarkdown(body) })

/** The body for a session webhook. */
export const webhookBody = (part: OutboundTextPart): Json =>
  part.plain ? { msgtype: 'text', text: { content: part.body } } : { msgtype: 'markdown', markdown: toMarkdown(part) }

/** Builds a text message of the robot API. */
export const textMessage = (part: OutboundTextPart): RobotMessage =>
  part.plain
    ? { msgKey: 'sampleText', msgParam: JSON.stringify({ content: part.body }) }
    : { msgKey: 'sampleMarkdown', msgParam: JSON.stringify(toMarkdown(part)) }

/** @param mediaId Exactly as the upload returned it, also with its `@`. */
export const imageMessage = (mediaId: string): RobotMessage => ({
  msgKey: 'sampleImageMsg',
  msgParam: JSON.stringify({ photoURL: mediaId }),
})

/** Builds a file message of the robot API. @param mediaId As the upload returned it. */
export const fileMessage = (mediaId: string, fileName: string, fileType: string): RobotMessage => ({
  msgKey: 'sampleFile',
  msgParam: JSON.stringify({ mediaId, fileName, fileType }),
})

/** A call of the robot API. */
export interface RobotCall {
  readonly path: string
  readonly body: Json
}

/** Builds the call that sends a new message to a chat. */
export const robotCall = (chat: Chat, robotCode: string, message: RobotMessage): RobotCall =>
  chat.kind === 'group'
    ? {
        path: '/v1.0/robot/groupMessages/send',
        body: { robotCode, openConversationId: chat.id, ...message },
      }
    : { path: '/v1.0/robot/oToMessages/batchSend', body: { robotCode, userIds: [chat.id], ...message } }

const EMOTION = '🤔Thinking'

/** Builds the body that adds or recalls a reaction: DingTalk has no typing indicator. */
export const emotionBody = (robotCode: string, conversationId: string, messageId: string): Json => ({
  robotCode,
  openMsgId: messageId,
  openConversationId: conversationId,
  emotionType: 2,
  emotionName: EMOTION,
  textEmotion: { emotionId: '2659900', emotionName: EMOTION, text: EMOTION, backgroundId: 'im_bg_1' },
})

/** File types that DingTalk accepts. */
const FILE_TYPES: ReadonlySet<string> = new Set('doc docx xls xlsx ppt pptx pdf zip rar'.split(' '))
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/bmp'])

/** Returns whether DingTalk shows files of this type as images. */
export const isImage = (mime: string): boolean => IMAGE_TYPES.has(mime.split(';', 1)[0]?.trim().toLowerCase() ?? '')

/** Returns the type for sending a file; `null`: it has to be zipped. */
export function getFileType(name: string): string | null {
  const extension = /\.([a-z]{3,4})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return FILE_TYPES.has(extension) ? extension : null
}

/** A name without the control characters that would end a line of a form, and without folders. */
export const toFileName = (name: string): string =>
  name
    .replace(/[\p{Cc}/\\]/gu, ' ')
    .trim()
    .slice(0, 200) || 'file'
