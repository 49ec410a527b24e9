import { useMutation, type UseMutationResult, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { Channel } from './status.ts'
import { listTexts } from './texts.ts'
import { call, type ApiError, type Answer } from '../../api/client.ts'
import { refresh, useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { notify, useNotifyError } from '../../parts/toast.tsx'

/** Returns a channel with all its details. */
export const useChannel = (platform: Platform, when = true): UseQueryResult<Channel, ApiError> =>
  useCall('getChannel', { params: { platform } }, { when })

/** Returns a mutation that enables or disables a channel: shown immediately, reverted on failure. */
export function useSetEnabled(platform: Platform): UseMutationResult<unknown, ApiError, boolean> {
  const client = useQueryClient()
  const texts = useTexts(listTexts)
  const name = useTexts(platformTexts)[platform]
  const notifyError = useNotifyError()
  const show = (enabled: boolean): void => {
    client.setQueriesData<Channel>({ queryKey: ['getChannel', { params: { platform } }] }, (channel) =>
      channel === undefined
        ? channel
        : { ...channel, enabled, ...(enabled && { state: 'connecting', reason: null, message: null }) },
    )
    client.setQueriesData<Answer<'listChannels'>>({ queryKey: ['listChannels'] }, (list) =>
      list === undefined
        ? list
        : { channels: list.channels.map((one) => (one.platform === platform ? { ...one, enabled } : one)) },
    )
  }
  return useMutation<unknown, ApiError, boolean>({
    mutationFn: (enabled) =>
      enabled
        ? call('saveChannel', { params: { platform }, body: { enabled } })
        : call('disableChannel', { params: { platform } }),
    onMutate: async (enabled) => {
      await client.cancelQueries({ queryKey: ['getChannel', { params: { platform } }] })
      await client.cancelQueries({ queryKey: ['listChannels'] })
      show(enabled)
    },
    onSuccess: (_, enabled) => notify(enabled ? texts.channelEnabled(name) : texts.channelDisabled(name)),
    onError: (error, enabled) => {
      show(!enabled)
      notifyError(error)
    },
    onSettled: () => refresh(client, 'listChannels', 'getChannel', 'listUsers'),
  })
}

/** Returns a mutation that restarts a channel. */
export function useRestart(platform: Platform): UseMutationResult<unknown, ApiError, void> {
  const client = useQueryClient()
  const texts = useTexts(listTexts)
  const name = useTexts(platformTexts)[platform]
  const notifyError = useNotifyError()
  return useMutation<unknown, ApiError, void>({
    mutationFn: async () => {
      await call('disableChannel', { params: { platform } })
      await call('saveChannel', { params: { platform }, body: { enabled: true } })
    },
    onSuccess: () => notify(texts.restarted(name)),
    onError: notifyError,
    onSettled: () => refresh(client, 'listChannels', 'getChannel'),
  })
}

/** Returns a mutation that removes a channel's credentials and updates the cached channel. */
export function useRemoveChannel(platform: Platform): UseMutationResult<unknown, ApiError, void> {
  const client = useQueryClient()
  const of = { params: { platform } }
  return useMutation<unknown, ApiError, void>({
    mutationFn: () => call('forgetChannel', of),
    onSuccess: () => {
      client.setQueriesData<Channel>({ queryKey: ['getChannel', of] }, (channel) =>
        channel === undefined ? channel : { ...channel, has_config: false },
      )
      return refresh(client, 'listChannels', 'getChannel', 'listConversations', 'listAllDeliveries')
    },
  })
}
