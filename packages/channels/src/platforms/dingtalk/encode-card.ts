import type { Chat, OutboundTextPart } from '../../message.ts'
import { cardText, dingtalkDialect } from './dialect.ts'
import type { Json } from '../wire/json.ts'

/** The public template of an AI card that the vendor's own connectors use: it shows one text, `msgContent`. */
const TEMPLATE = '02fcf2f4-5e02-4a85-b672-46d1f715543e.schema'
const CONFIG = JSON.stringify({ autoLayout: true })
const WRITING = '2'
const FINISHED = '3'
const PREFIX = 'gatepost-'

/** Our own id of a card: the same for every attempt of a delivery, so that a repetition meets the same card. */
export const outTrackIdOf = (deliveryId: string): string => PREFIX + deliveryId.replace(/[^\w.-]/g, '-')

export const isOutTrackId = (messageId: string): boolean => messageId.startsWith(PREFIX)

/** `POST /v1.0/card/instances` */
export const createBody = (outTrackId: string): Json => ({
  cardTemplateId: TEMPLATE,
  outTrackId,
  cardData: { cardParamMap: { config: CONFIG } },
  callbackType: 'STREAM',
  imGroupOpenSpaceModel: { supportForward: true },
  imRobotOpenSpaceModel: { supportForward: true },
})

/** `POST /v1.0/card/instances/deliver` */
export const deliverBody = (outTrackId: string, chat: Chat, robotCode: string): Json => ({
  outTrackId,
  userIdType: 1,
  ...(chat.kind === 'group'
    ? { openSpaceId: `dtv1.card//IM_GROUP.${chat.id}`, imGroupOpenDeliverModel: { robotCode } }
    : {
        openSpaceId: `dtv1.card//IM_ROBOT.${chat.id}`,
        imRobotOpenDeliverModel: { spaceType: 'IM_ROBOT', robotCode },
      }),
})

/** `PUT /v1.0/card/instances`: the whole text and whether more comes. Without the last step a card keeps spinning. */
export const stateBody = (outTrackId: string, part: OutboundTextPart): Json => ({
  outTrackId,
  cardData: {
    cardParamMap: {
      flowStatus: part.live === true ? WRITING : FINISHED,
      msgContent: contentOf(part),
      staticMsgContent: '',
      sys_full_json_obj: JSON.stringify({ order: ['msgContent'] }),
      config: CONFIG,
    },
  },
  ...(part.live === true ? {} : { cardUpdateOptions: { updateCardDataByKey: true } }),
})

/**
 * `PUT /v1.0/card/streaming`: replaces the text.
 * @param guid New for each call: one that was seen before is not carried out.
 */
export const streamingBody = (outTrackId: string, part: OutboundTextPart, guid: string): Json => ({
  outTrackId,
  guid,
  key: 'msgContent',
  content: contentOf(part),
  isFull: true,
  isFinalize: part.live !== true,
  isError: false,
})

/** A card knows no plain text. */
const contentOf = (part: OutboundTextPart): string =>
  cardText(part.plain ? dingtalkDialect.text(part.body, []) : part.body)
