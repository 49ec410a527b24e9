import { isRecord } from '../kit/http.ts'
import { evictOldest } from '../kit/bounded-log.ts'
import { jsonReply, requireToken, type ApiCall, type Reply } from './call.ts'
import { DingtalkFailure, QPS_LIMIT } from './faults.ts'
import { type Card, directChatId, type DingtalkState } from './state.ts'

const CALLS_PER_SECOND = 40
const FINISHED: ReadonlySet<string> = new Set(['3', '5'])

/** Handles `POST /v1.0/card/instances`. A repeated `outTrackId` is the same card. */
export function createCard(call: ApiCall): Reply {
  const { state, fields } = call
  checkCall(call)
  const { cardTemplateId, cardData } = fields
  const id = requireId(fields)
  if (typeof cardTemplateId !== 'string' || cardTemplateId === '') return invalid('cardTemplateId')
  const messageId = state.nextId('card')
  if (!state.cards.has(id)) {
    state.cards.set(id, { messageId, chatId: null, content: '', flowStatus: '1', isShown: false, guids: new Set() })
  }
  evictOldest(state.cards, state.history)
  applyData(state, requireCard(call), cardData)
  return jsonReply({ success: true, result: id })
}

/** Handles `POST /v1.0/card/instances/deliver`. */
export function deliverCard(call: ApiCall): Reply {
  const { state, fields } = call
  checkCall(call)
  const card = requireCard(call)
  const { openSpaceId } = fields
  const [, kind = '', place = ''] = /^dtv1\.card\/\/(IM_GROUP|IM_ROBOT)\.(.+)$/.exec(String(openSpaceId)) ?? []
  const model = fields[kind === 'IM_GROUP' ? 'imGroupOpenDeliverModel' : 'imRobotOpenDeliverModel']
  if (!isRecord(model) || model['robotCode'] !== state.bot.id) throw new DingtalkFailure('resource.not.found')
  if (kind === 'IM_ROBOT' && model['spaceType'] !== 'IM_ROBOT') return invalid('spaceType')
  const isKnown = kind === 'IM_GROUP' ? state.groups.has(place) : state.people.get(place)?.isOutsider === false
  if (!isKnown) return invalid('openSpaceId')
  card.chatId ??= kind === 'IM_GROUP' ? place : directChatId(place)
  showCard(state, card)
  return jsonReply({
    success: true,
    result: [{ spaceType: kind, spaceId: place, deliverId: card.messageId, success: true }],
  })
}

/** Handles `PUT /v1.0/card/instances`. */
export function updateCard(call: ApiCall): Reply {
  checkCall(call)
  const card = requireCard(call)
  applyData(call.state, card, call.fields['cardData'])
  return jsonReply({ success: true, result: true })
}

/** Handles `PUT /v1.0/card/streaming`. */
export function streamCard(call: ApiCall): Reply {
  const { state, fields } = call
  checkCall(call)
  const card = requireCard(call)
  const { guid, key, content, isFull = false, isError = false } = fields
  if (typeof guid !== 'string' || guid === '') return invalid('guid')
  if (key !== 'msgContent') return invalid('key')
  if (typeof content !== 'string') return invalid('content')
  if (!card.guids.has(guid)) {
    card.guids.add(guid)
    card.content = isFull === true ? content : card.content + content
    if (isError === true) card.flowStatus = '5'
    showCard(state, card)
  }
  return jsonReply({ success: true, result: true })
}

/** Returns the chat id of the card that a call refers to, if any. */
export function findCardChatId(state: DingtalkState, fields: ApiCall['fields']): string | undefined {
  const { openSpaceId, outTrackId } = fields
  if (typeof openSpaceId === 'string') {
    const place = openSpaceId.slice(openSpaceId.indexOf('.', 'dtv1.'.length) + 1)
    return openSpaceId.includes('IM_GROUP') ? place : directChatId(place)
  }
  return state.cards.get(String(outTrackId))?.chatId ?? undefined
}

function checkCall(call: ApiCall): void {
  const { state } = call
  requireToken(call, 'api')
  if (state.isOn('rate_limits') && state.calls.count('card', 1_000) >= CALLS_PER_SECOND) {
    throw new DingtalkFailure(QPS_LIMIT)
  }
  state.calls.add('card')
}

function applyData(state: DingtalkState, card: Card, cardData: unknown): void {
  const map = isRecord(cardData) && isRecord(cardData['cardParamMap']) ? cardData['cardParamMap'] : null
  if (map === null) return invalid('cardData.cardParamMap')
  if (Object.values(map).some((value) => typeof value !== 'string')) return invalid('cardParamMap holds texts only')
  const { msgContent, flowStatus } = map
  if (typeof msgContent === 'string') card.content = msgContent
  if (typeof flowStatus === 'string') card.flowStatus = flowStatus
  showCard(state, card)
}

/** Shows a card once it has visible text; it is unfinished until its flow ends. */
function showCard(state: DingtalkState, card: Card): void {
  const { chatId, messageId, content: text } = card
  const unfinished = !FINISHED.has(card.flowStatus)
  if (card.isShown) state.chatStore.replaceBotText(messageId, text, unfinished)
  else if (chatId !== null && text.trim() !== '') {
    state.chatStore.addBotMessage({ chatId, messageId, name: state.bot.name, text, unfinished })
    card.isShown = true
  }
}

function requireCard({ state, fields }: ApiCall): Card {
  return state.cards.get(requireId(fields)) ?? invalid('outTrackId does not exist')
}

function requireId(fields: ApiCall['fields']): string {
  const { outTrackId } = fields
  return typeof outTrackId === 'string' && outTrackId !== '' ? outTrackId : invalid('outTrackId')
}

function invalid(what: string): never {
  throw new DingtalkFailure('invalidParameter', what)
}
