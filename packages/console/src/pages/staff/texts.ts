import { defineTexts } from '../../language/texts.ts'

/** Words around every page for staff. */
export const staffTexts = defineTexts({
  en: {
    title: 'Staff',
    sections: 'Pages for staff',
    tabs: { people: 'People', socialApps: 'Social apps', clients: 'OIDC clients', audit: 'Audit log' },
    actsOf: (name: string) => `What to do with ${name}`,
    cancel: 'Cancel',
    save: 'Save',
    required: 'Fill this in.',
    notTaken: 'This cannot be taken.',
    search: 'Search',
    nothingFound: 'Nothing here has these words.',
  },
  zh: {
    title: '管理',
    sections: '管理页面',
    tabs: { people: '成员', socialApps: '第三方登录', clients: 'OIDC 客户端', audit: '审计日志' },
    actsOf: (name) => `对 ${name} 的操作`,
    cancel: '取消',
    save: '保存',
    required: '请填写此项。',
    notTaken: '此项内容无法接受。',
    search: '搜索',
    nothingFound: '没有符合的内容。',
  },
})
