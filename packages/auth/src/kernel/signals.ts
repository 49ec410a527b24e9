import type { Log } from './io.ts'

/** The sender of a signal, by name. */
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

/** A receiver's argument: the event with the signal's name and sender. */
export type SignalEvent<Event, Name> = Event & { readonly signal: Name; readonly sender: SignalSender }

/** In-process signals; receivers run in order of subscription. @typeParam Events The event type of each signal. */
export interface Signals<Events> {
  /** Subscribes to a signal. @returns a function that ends the subscription */
  on<N extends keyof Events>(
    signal: N,
    receiver: (event: SignalEvent<Events[N], N>) => void | Promise<void>,
    options?: { readonly sender?: SignalSender },
  ): () => void
  /** Runs the receivers one after another. Rejects with the error of the first that throws, which fails the request. */
  emit<N extends keyof Events>(signal: N, sender: SignalSender, event: Events[N]): Promise<void>
  /** Like `emit`, but logs an error that a receiver throws and runs the others. */
  emitSafely<N extends keyof Events>(signal: N, sender: SignalSender, event: Events[N]): Promise<void>
}

/** The signals of all modules, typed per module. */
export interface SignalBus {
  /** Returns the signals of one module. @typeParam Events The event type of each of the module's signals. */
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
  return { typed: <Events>() => signals as unknown as Signals<Events> } // each module emits its own signals' event types
}
