import type { Log } from './io.ts'
import type { AuthSignals, Receiver, SignalName, Signals, SignalSender } from '../signals.ts'

interface Subscription {
  readonly receiver: Receiver<never>
  readonly sender: SignalSender | null
}

/** Signals of one instance of the package. */
export function createSignals(log: Log): Signals {
  const subscriptions = new Map<SignalName, readonly Subscription[]>()
  const receiversOf = <N extends SignalName>(signal: N, sender: SignalSender): readonly Receiver<N>[] =>
    (subscriptions.get(signal) ?? [])
      .filter((subscription) => subscription.sender === null || subscription.sender === sender)
      .map(({ receiver }) => receiver as Receiver<N>) // `on` filed it under this name
  return {
    on(signal, receiver, options = {}) {
      const subscription: Subscription = { receiver, sender: options.sender ?? null }
      subscriptions.set(signal, [...(subscriptions.get(signal) ?? []), subscription])
      return () => {
        const others = subscriptions.get(signal)?.filter((other) => other !== subscription) ?? []
        subscriptions.set(signal, others)
      }
    },
    async emit<N extends SignalName>(signal: N, sender: SignalSender, event: AuthSignals[N]) {
      for (const receiver of receiversOf(signal, sender)) await receiver({ ...event, signal, sender })
    },
    async emitSafely<N extends SignalName>(signal: N, sender: SignalSender, event: AuthSignals[N]) {
      for (const receiver of receiversOf(signal, sender)) {
        try {
          await receiver({ ...event, signal, sender })
        } catch (error) {
          log.error('A receiver of a signal failed', { signal, error })
        }
      }
    },
  }
}
