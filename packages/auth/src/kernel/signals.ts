import type { Log } from './io.ts'

/** Stand for the classes that send. */
export type SignalSender =
  | 'User'
  | 'EmailAddress'
  | 'EmailConfirmation'
  | 'CodeProcess'
  | 'Authenticator'
  | 'UserSession'
  | 'SocialLogin'
  | 'SocialAccount'
  | 'OidcClient'
  | (string & {})

/** The argument of a receiver: the event with the signal's name and sender. */
export type SignalEvent<Event, Name> = Event & { readonly signal: Name; readonly sender: SignalSender }

/** In-process and in order of subscription. A receiver that throws breaks the request. @typeParam Events By signal. */
export interface Signals<Events> {
  /** @returns what ends the subscription */
  on<N extends keyof Events>(
    signal: N,
    receiver: (event: SignalEvent<Events[N], N>) => void | Promise<void>,
    options?: { readonly sender?: SignalSender },
  ): () => void
  emit<N extends keyof Events>(signal: N, sender: SignalSender, event: Events[N]): Promise<void>
  /** As `emit`: a receiver that throws is logged, and the others still run. */
  emitSafely<N extends keyof Events>(signal: N, sender: SignalSender, event: Events[N]): Promise<void>
}

/** The signals of every module: each sees its own by their types. */
export interface SignalBus {
  /** Returns the signals of one module. @typeParam Events What the module sends, by signal. */
  typed<Events>(): Signals<Events>
}

interface Subscription {
  readonly receiver: (event: never) => void | Promise<void>
  readonly sender: SignalSender | null
}

/** Creates the signals of one instance of the package. */
export function createSignals(log: Log): SignalBus {
  const subscriptions = new Map<PropertyKey, readonly Subscription[]>()
  const receivers = (signal: PropertyKey, sender: SignalSender): readonly ((event: object) => void | Promise<void>)[] =>
    (subscriptions.get(signal) ?? [])
      .filter((subscription) => subscription.sender === null || subscription.sender === sender)
      .map(({ receiver }) => receiver as (event: object) => void | Promise<void>) // `on` filed it under this signal
  const signals: Signals<Record<PropertyKey, object>> = {
    on(signal, receiver, options = {}) {
      const subscription: Subscription = { receiver, sender: options.sender ?? null }
      subscriptions.set(signal, [...(subscriptions.get(signal) ?? []), subscription])
      return () => {
        const others = subscriptions.get(signal)?.filter((other) => other !== subscription) ?? []
        subscriptions.set(signal, others)
      }
    },
    async emit(signal, sender, event) {
      for (const receiver of receivers(signal, sender)) await receiver({ ...event, signal, sender })
    },
    async emitSafely(signal, sender, event) {
      for (const receiver of receivers(signal, sender)) {
        try {
          await receiver({ ...event, signal, sender })
        } catch (error) {
          log.error('A receiver of a signal failed', { signal, error })
        }
      }
    },
  }
  return { typed: <Events>() => signals as unknown as Signals<Events> } // events are whatever the signal's own module sends
}
