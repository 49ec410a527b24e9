import type { Outcome, OutboundTextPart, Chat } from '../../message.ts'
import { type Json, list, object, text } from '../wire/json.ts'
import { cardText, dingtalkDialect } from './dialect.ts'
import {
  type Answer,
  type DingtalkFailure,
  isFaultOfCall,
  isPermission,
  toOutcome,
  describeFailure,
} from './outcome.ts'
import { isExternal, getRobotCode, SEND_MS, type SendingBot } from './send-text.ts'

/** Streams replies through AI cards. */
interface Cards {
  /** Shows an unfinished reply. Repeating it for the same delivery updates the same card. */
  begin(part: OutboundTextPart, signal: AbortSignal): Promise<Outcome>
  /** Replaces the text of a card, and finishes it unless the part is `live`. */
  change(part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Outcome>
}

const INSTANCES = '/v1.0/card/instances'

/** Creates the cards of one bot. */
export function createCards(bot: SendingBot): Cards {
  const { client, memory, io } = bot
  let guids = 0
  const createGuid = (): string =>
    `${io.clock.now().toString(36)}-${++guids}-${Math.floor(io.random() * 2 ** 40).toString(36)}`
  const call = (method: 'POST' | 'PUT', path: string, body: Json, signal: AbortSignal): Promise<Answer<Json>> =>
    client.api(method, path, body, { signal, timeoutMs: SEND_MS })
  const recordFailure = (failure: DingtalkFailure): Outcome => {
    if (isPermission(failure) && memory.health.noCards === null) {
      memory.health.noCards = describeFailure(failure)
      io.log.info('DingTalk replies are sent as one message from now on: the app has no permission for cards', {
        why: memory.health.noCards,
      })
    }
    return toOutcome(failure)
  }
  return {
    async begin(part, signal) {
      if (memory.health.noCards !== null) return NO_CARDS
      if (isExternal(bot, part)) return NOT_HERE
      const id = toOutTrackId(part.deliveryId)
      const created = await call('POST', INSTANCES, createBody(id), signal)
      if (!created.ok && !isThereAlready(created.failure)) return asNotShown(recordFailure(created.failure))
      const body = deliverBody(id, part.chat, getRobotCode(bot, part.chat.id))
      const delivered = await call('POST', `${INSTANCES}/deliver`, body, signal)
      if (!delivered.ok && !isThereAlready(delivered.failure)) return recordFailure(delivered.failure)
      const complaint = delivered.ok ? findComplaint(delivered.result) : null
      if (complaint !== null) return { status: 'refused', code: 'content_rejected', detail: complaint }
      const written = await call('PUT', INSTANCES, stateBody(id, part), signal)
      // the card is shown: its text follows with the next change
      if (!written.ok) io.log.debug('A DingTalk card is empty for now', { why: describeFailure(written.failure) })
      return { status: 'delivered', messageId: id }
    },
    async change(part, messageId, signal) {
      if (!isOutTrackId(messageId)) return NO_CARD
      const streamed = await call('PUT', '/v1.0/card/streaming', streamingBody(messageId, part, createGuid()), signal)
      if (!streamed.ok) {
        const outcome = recordFailure(streamed.failure)
        // the card is finished already, or the app may write cards but not stream them: the last step is enough
        const canFinish = isPermission(streamed.failure) || isFaultOfCall(streamed.failure)
        if (part.live === true || !canFinish) return outcome
      }
      if (part.live === true) return { status: 'delivered', messageId }
      const finished = await call('PUT', INSTANCES, stateBody(messageId, part), signal)
      return finished.ok ? { status: 'delivered', messageId } : recordFailure(finished.failure)
    },
  }
}

const isThereAlready = (failure: DingtalkFailure): boolean =>
  failure.kind === 'answer' && /exist|duplicat|repeat/i.test(failure.code) && !/not/i.test(failure.code)

/** A card that was created but not delivered is not shown. */
const asNotShown = (outcome: Outcome): Outcome =>
  outcome.status === 'unknown' ? { status: 'refused', code: 'network', detail: outcome.detail } : outcome

/** Returns the error in a response that looks successful, or `null`. */
function findComplaint(answer: Json): string | null {
  const complaint = list(answer['result'])
    .map(object)
    .find((space) => space?.['success'] === false)
  if (complaint === undefined) return answer['success'] === false ? "the card wasn't delivered" : null
  return (text(complaint['errorMsg']) ?? "the card wasn't delivered").slice(0, 300)
}

const refusal = (detail: string): Outcome => ({ status: 'refused', code: 'configuration', detail })
const NO_CARDS = refusal('the app has no permission for cards')
const NOT_HERE = refusal("cards can't be sent outside the organization")
const NO_CARD: Outcome = { status: 'refused', code: 'content_rejected', detail: 'only cards can be edited' }

/** The public template of an AI card that the vendor's own connectors use: it shows one text, `msgContent`. */
const TEMPLATE = '02fcf2f4-5e02-4a85-b672-46d1f715543e.schema'
const CONFIG = JSON.stringify({ autoLayout: true })
const WRITING = '2'
const FINISHED = '3'
const PREFIX = 'gatepost-'

/** Returns our id of a card: the same for every attempt of a delivery, so that a retry updates the same card. */
export const toOutTrackId = (deliveryId: string): string => PREFIX + deliveryId.replace(/[^\w.-]/g, '-')

/** Returns whether a message id is that of a card. */
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
      msgContent: toCardContent(part),
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
const streamingBody = (outTrackId: string, part: OutboundTextPart, createGuid: string): Json => ({
  outTrackId,
  guid: createGuid,
  key: 'msgContent',
  content: toCardContent(part),
  isFull: true,
  isFinalize: part.live !== true,
  isError: false,
})

/** A card knows no plain text. */
const toCardContent = (part: OutboundTextPart): string =>
  cardText(part.plain ? dingtalkDialect.text(part.body, []) : part.body)
