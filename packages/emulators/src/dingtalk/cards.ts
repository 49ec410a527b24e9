import { isRecord } from '../kit/http.ts'
import { forgetOldest } from '../kit/bounded-log.ts'
import { json, requireToken, type Call, type Reply } from './call.ts'
import { DingtalkFailure, QPS_LIMIT } from './faults.ts'
import { type Card, directChatId, type DingtalkState } from './state.ts'

const CALLS_PER_SECOND = 40
const OVER: ReadonlySet<string> = new Set(['3', '5'])

/** `POST /v1.0/card/instances`; the same card again is the same card. */
export function createCard(call: Call): Reply {
  const { state, fields } = call
  begin(call)
  const { cardTemplateId, cardData } = fields
  const id = requireId(fields)
  if (typeof cardTemplateId !== 'string' || cardTemplateId === '') return invalid('cardTemplateId')
  const messageId = state.nextId('card')
  if (!state.cards.has(id)) {
    state.cards.set(id, { messageId, chatId: null, content: '', flowStatus: '1', isShown: false, guids: new Set() })
  }
  forgetOldest(state.cards, state.history)
  apply(state, requireCard(call), cardData)
  return json({ success: true, result: id })
}

/** `POST /v1.0/card/instances/deliver` */
export function deliverCard(call: Call): Reply {
  const { state, fields } = call
  begin(call)
  const card = requireCard(call)
  const { openSpaceId } = fields
  const [, kind = '', place = ''] = /^dtv1\.card\/\/(IM_GROUP|IM_ROBOT)\.(.+)$/.exec(String(openSpaceId)) ?? []
  const model = fields[kind === 'IM_GROUP' ? 'imGroupOpenDeliverModel' : 'imRobotOpenDeliverModel']
  if (!isRecord(model) || model['robotCode'] !== state.bot.id) throw new DingtalkFailure('resource.not.found')
  if (kind === 'IM_ROBOT' && model['spaceType'] !== 'IM_ROBOT') return invalid('spaceType')
  const isKnown = kind === 'IM_GROUP' ? state.groups.has(place) : state.people.get(place)?.isOutsider === false
  if (!isKnown) return invalid('openSpaceId')
  card.chatId ??= kind === 'IM_GROUP' ? place : directChatId(place)
  display(state, card)
  return json({
    success: true,
    result: [{ spaceType: kind, spaceId: place, deliverId: card.messageId, success: true }],
  })
}

/** `PUT /v1.0/card/instances` */
export function updateCard(call: Call): Reply {
  begin(call)
  const card = requireCard(call)
  apply(call.state, card, call.fields['cardData'])
  return json({ success: true, result: true })
}

/** `PUT /v1.0/card/streaming` */
export function streamCard(call: Call): Reply {
  const { state, fields } = call
  begin(call)
  const card = requireCard(call)
  const { guid, key, content, isFull = false, isError = false } = fields
  if (typeof guid !== 'string' || guid === '') return invalid('guid')
  if (key !== 'msgContent') return invalid('key')
  if (typeof content !== 'string') return invalid('content')
  if (!card.guids.has(guid)) {
    card.guids.add(guid)
    card.content = isFull === true ? content : card.content + content
    if (isError === true) card.flowStatus = '5'
    display(state, card)
  }
  return json({ success: true, result: true })
}

/** The chat of the card that a call is about. */
export function chatOfCard(state: DingtalkState, fields: Call['fields']): string | undefined {
  const { openSpaceId, outTrackId } = fields
  if (typeof openSpaceId === 'string') {
    const place = openSpaceId.slice(openSpaceId.indexOf('.', 'dtv1.'.length) + 1)
    return openSpaceId.includes('IM_GROUP') ? place : directChatId(place)
  }
  return state.cards.get(String(outTrackId))?.chatId ?? undefined
}

function begin(call: Call): void {
  const { state } = call
  requireToken(call, 'api')
  if (state.isOn('rate_limits') && state.calls.count('card', 1_000) >= CALLS_PER_SECOND) {
    throw new DingtalkFailure(QPS_LIMIT)
  }
  state.calls.add('card')
}

function apply(state: DingtalkState, card: Card, cardData: unknown): void {
  const map = isRecord(cardData) && isRecord(cardData['cardParamMap']) ? cardData['cardParamMap'] : null
  if (map === null) return invalid('cardData.cardParamMap')
  if (Object.values(map).some((value) => typeof value !== 'string')) return invalid('cardParamMap holds texts only')
  const { msgContent, flowStatus } = map
  if (typeof msgContent === 'string') card.content = msgContent
  if (typeof flowStatus === 'string') card.flowStatus = flowStatus
  display(state, card)
}

/** A card is a message from its first visible text on; it spins until its flow is over. */
function display(state: DingtalkState, card: Card): void {
  const { chatId, messageId, content: text } = card
  const unfinished = !OVER.has(card.flowStatus)
  if (card.isShown) state.world.replace(messageId, text, unfinished)
  else if (chatId !== null && text.trim() !== '') {
    state.world.shown({ chatId, messageId, name: state.bot.name, text, unfinished })
    card.isShown = true
  }
}

function requireCard({ state, fields }: Call): Card {
  return state.cards.get(requireId(fields)) ?? invalid('outTrackId does not exist')
}

function requireId(fields: Call['fields']): string {
  const { outTrackId } = fields
  return typeof outTrackId === 'string' && outTrackId !== '' ? outTrackId : invalid('outTrackId')
}

function invalid(what: string): never {
  throw new DingtalkFailure('invalidParameter', what)
}
