import { isRecord } from '../kit/http.ts'
import { type Answer, badParameter, innerJson, ok, refusal, textOf } from './answer.ts'
import { plain, type ShownContent } from './shown-content.ts'
import type { FeishuState } from './state.ts'

type Json = Readonly<Record<string, unknown>>

interface Card {
  readonly id: string
  json: Json
  /** Texts that were streamed, by element. */
  readonly streamed: Map<string, string>
  streaming: boolean
  streamingUntilMs: number
  sequence: number
  readonly uuids: Set<string>
  /** Messages that show it. */
  readonly messageIds: string[]
  readonly untilMs: number
  /** When the operations of the last second were, for the rate limit. */
  operations: readonly number[]
}

const CARD_LIFE_MS = 14 * 86_400_000
const CARD_BYTES = 30 * 1024
const ELEMENT_CHARACTERS = 30_000
const OPERATIONS_PER_SECOND = 10

/** Card entities: created, shown in messages, streamed into. */
export class Cards {
  readonly #state: FeishuState
  readonly #streamLifeMs: number
  readonly #isLimited: boolean
  readonly #ended: AbortSignal
  readonly #cards = new Map<string, Card>()

  /** @param ended Aborts when the emulator closes. */
  constructor(state: FeishuState, streamLifeMs: number, isLimited: boolean, ended: AbortSignal) {
    this.#state = state
    this.#streamLifeMs = streamLifeMs
    this.#isLimited = isLimited
    this.#ended = ended
  }

  create(body: Json): Answer {
    const json = innerJson(body['data'])
    if (body['type'] !== 'card_json' || json === null) return refusal(200220, 'Failed to generate card content')
    if (Buffer.byteLength(textOf(body['data'])) > CARD_BYTES) return refusal(200860)
    if (json['schema'] !== '2.0' || !isCard(json)) return refusal(200220, 'Failed to generate card content')
    return ok({ card_id: this.#keep(json).id })
  }

  /** The content of an `interactive` message. */
  shown(content: Json): ShownContent | Answer {
    const data = content['data']
    if (content['type'] === 'card' && isRecord(data)) {
      const card = this.#cards.get(textOf(data['card_id']))
      if (!card) return refusal(230099, 'Failed to create card content, ext=ErrCode: 200740; ErrMsg: cardid is invalid')
      return { ...plain(textOfCard(card)), cardId: card.id, unfinished: card.streaming }
    }
    if (content['type'] === 'template') return plain('')
    if (!isCard(content))
      return refusal(230099, 'Failed to create card content, ext=ErrCode: 11310; ErrMsg: no element')
    return plain(elementsOf(content).map(elementText).join('\n'))
  }

  /** A message shows this card from now on. */
  attach(cardId: string, messageId: string): void {
    this.#cards.get(cardId)?.messageIds.push(messageId)
  }

  /** The entity of a message's card, made when the message was sent as plain card JSON. */
  convert(messageId: string): Answer {
    const message = this.#state.messages.get(messageId)
    if (!message || message.deleted || message.type !== 'interactive') return refusal(10002, 'invalid message_id')
    const known = [...this.#cards.values()].find(({ messageIds }) => messageIds.includes(messageId))
    const card = known ?? this.#keep(innerJson(message.content) ?? {})
    if (!known) card.messageIds.push(messageId)
    return ok({ card_id: card.id })
  }

  /** Streams into one element: the whole text so far. */
  stream(cardId: string, elementId: string, body: Json): Answer {
    return this.#operate(cardId, body, (card) => {
      if (!card.streaming) return refusal(card.streamingUntilMs > 0 ? 200850 : 300309)
      const element = elementsOf(card.json).find((one) => one['element_id'] === elementId)
      if (!element) return refusal(300313)
      const content = textOf(body['content'])
      if (content === '' || content.length > ELEMENT_CHARACTERS) return refusal(10002, 'invalid content')
      card.streamed.set(elementId, content)
      return ok()
    })
  }

  /** Changes the settings, `streaming_mode` above all. */
  settings(cardId: string, body: Json): Answer {
    return this.#operate(cardId, body, (card) => {
      const config = innerJson(body['settings'])?.['config']
      if (!isRecord(config)) return refusal(10002, 'invalid settings')
      if (config['update_multi'] === false) return refusal(300302)
      if (typeof config['streaming_mode'] === 'boolean') this.#setStreaming(card, config['streaming_mode'])
      return ok()
    })
  }

  /** Replaces the whole card. */
  update(cardId: string, body: Json): Answer {
    return this.#operate(cardId, body, (card) => {
      const data = isRecord(body['card']) ? body['card']['data'] : null
      const json = innerJson(data)
      if (json === null || !isCard(json)) return refusal(200220, 'Failed to generate card content')
      if (Buffer.byteLength(textOf(data)) > CARD_BYTES) return refusal(200860)
      card.json = json
      card.streamed.clear()
      this.#setStreaming(card, isStreaming(json))
      return ok()
    })
  }

  #keep(json: Json): Card {
    const untilMs = this.#state.clock.now() + CARD_LIFE_MS
    const card: Card = {
      id: this.#state.newNumber(),
      json,
      streamed: new Map(),
      streaming: false,
      streamingUntilMs: 0,
      sequence: 0,
      uuids: new Set(),
      messageIds: [],
      untilMs,
      operations: [],
    }
    this.#cards.set(card.id, card)
    this.#setStreaming(card, isStreaming(json))
    return card
  }

  #operate(cardId: string, body: Json, act: (card: Card) => Answer): Answer {
    const card = this.#cards.get(cardId)
    const now = this.#state.clock.now()
    if (!card) return refusal(200740)
    if (card.untilMs <= now) return refusal(200750)
    const { sequence, uuid } = body
    if (typeof sequence !== 'number' || !Number.isInteger(sequence) || sequence < 1) return badParameter('sequence')
    if (typeof uuid === 'string' && card.uuids.has(uuid)) return refusal(200770, 'UUID conflict')
    if (sequence <= card.sequence) return refusal(300317)
    const recent = card.operations.filter((atMs) => atMs > now - 1_000)
    if (this.#isLimited && recent.length >= OPERATIONS_PER_SECOND) return refusal(230020)
    const answer = act(card)
    if (answer.status !== 200) return answer
    card.operations = [...recent, now]
    card.sequence = sequence
    if (typeof uuid === 'string') card.uuids.add(uuid)
    this.#show(card)
    return answer
  }

  #setStreaming(card: Card, isOn: boolean): void {
    card.streaming = isOn
    card.streamingUntilMs = isOn ? this.#state.clock.now() + this.#streamLifeMs : 0
    if (isOn) void this.#endStreaming(card, card.streamingUntilMs)
  }

  async #endStreaming(card: Card, untilMs: number): Promise<void> {
    await this.#state.clock.sleep(this.#streamLifeMs, this.#ended)
    if (this.#ended.aborted || !card.streaming || card.streamingUntilMs !== untilMs) return
    card.streaming = false
    this.#show(card)
  }

  #show(card: Card): void {
    for (const id of card.messageIds) this.#state.chatStore.replaceBotText(id, textOfCard(card), card.streaming)
  }
}

const isStreaming = ({ config }: Json): boolean => isRecord(config) && config['streaming_mode'] === true

/** Whether a card may be updated for everybody who sees it. */
export const isShared = ({ config }: Json): boolean => isRecord(config) && config['update_multi'] === true

/** Elements of a card of schema 2.0 or of an older one, those in containers included. */
function elementsOf(json: Json): readonly Json[] {
  const body = isRecord(json['body']) ? json['body'] : json
  const direct = Array.isArray(body['elements']) ? body['elements'].filter(isRecord) : []
  return direct.flatMap((element) => [element, ...elementsOf(element), ...columnsOf(element)])
}

const columnsOf = ({ columns }: Json): readonly Json[] =>
  Array.isArray(columns) ? columns.filter(isRecord).flatMap(elementsOf) : []

const isCard = (json: Json): boolean => elementsOf(json).length > 0 || isRecord(json['header'])

function textOfCard(card: Card): string {
  const texts = elementsOf(card.json).map(
    (element) => card.streamed.get(textOf(element['element_id'])) ?? elementText(element),
  )
  return texts.filter((text) => text !== '').join('\n')
}

function elementText(element: Json): string {
  if (element['tag'] === 'hr') return '---'
  if (typeof element['content'] === 'string') return element['content']
  return isRecord(element['text']) ? textOf(element['text']['content']) : ''
}
