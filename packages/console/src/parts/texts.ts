import { defineTexts } from '../language/language.ts'

/** Texts of the shared components. */
export const partTexts = defineTexts({
  en: {
    close: 'Close',
    cancel: 'Cancel',
    retry: 'Retry',
    loading: 'Loading…',
    more: 'Show more',
    copy: 'Copy',
    copied: 'Copied',
    requestId: (id: string) => `Request ID: ${id}`,
  },
  zh: {
    close: '关闭',
    cancel: '取消',
    retry: '重试',
    loading: '加载中…',
    more: '显示更多',
    copy: '复制',
    copied: '已复制',
    requestId: (id) => `请求 ID：${id}`,
  },
})
