// The process's worker threads for CPU launches.
//
// Model: a Session has the pool to itself for one replay; while another thread has it, a session runs
// everything on its own thread instead, so programs on several threads never wait for each other. A job is
// cut into chunks; each participant owns a contiguous run of them (the same from launch to launch, which
// keeps caches warm) and then takes from others. The caller is participant 0 and never waits for a worker
// that sleeps: it only waits for chunks that a worker has begun.
//
// Workers spin for a moment after a job, because the next launch of a frame follows at once, then park. They
// are kept off the core that the caller was on when it woke them: woken on that core, a worker holding a
// chunk would wait for the spinning caller to be descheduled, tens of milliseconds.
//
// Limits: a child of fork() gets a pool of its own at its first session. Workers live until the process ends.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace whitecap {

class ThreadPool {
  public:
    static constexpr int kMaxThreads = 256;

    // Linear indices [begin, end). Runs on several threads at once; must not throw.
    using Body = void (*)(const void* context, std::uint64_t begin, std::uint64_t end);

    static ThreadPool& shared();

    // Threads of a session that asks for 0, the caller's included.
    static int thread_count();
    // 0: one a physical core that this process may use. Throws WC_ERROR_ARGUMENT outside 0..kMaxThreads.
    static void set_thread_count(int count);

    class Session {
      public:
        // threads 0: thread_count(), and small jobs stay on the calling thread unless workers are awake.
        // largest_job: decides whether workers are woken now.
        Session(int threads, std::uint64_t largest_job);
        ~Session();
        Session(const Session&) = delete;
        Session& operator=(const Session&) = delete;

        // Chunks are multiples of `unit`.
        void run(std::uint64_t total, std::uint64_t unit, Body body, const void* context);
        // Every index is worth a thread of its own.
        void run_each(std::uint64_t count, Body body, const void* context);
        // How many threads may take part.
        int threads() const { return pool_ == nullptr ? 1 : threads_; }

      private:
        ThreadPool* pool_ = nullptr;  // null: everything runs on the calling thread
        int threads_ = 1;
        bool chosen_by_size_ = false;
    };

  private:
    // One participant's chunks; on a cache line of its own.
    struct alignas(64) Slot {
        std::atomic<std::uint32_t> left{0};
        std::uint32_t end = 0;  // the next one is end - left
    };

    struct Job {
        Body body = nullptr;
        const void* context = nullptr;
        std::uint64_t total = 0, chunk = 0;
    };

    ThreadPool();
    void ensure_workers(int count);
    void wake();
    void avoid_core_of_caller();
    void run(const Job& job, std::uint32_t chunks, int threads);
    std::uint32_t take_chunks(int participant, int participants);
    void work(int participant);
    void serve(int participant);

    // Written by the session that has the pool, read by a worker after it has taken a chunk of the job.
    Job job_;
    std::unique_ptr<Slot[]> slots_;
    std::atomic<int> participants_{1};

    alignas(64) std::atomic<std::uint32_t> generation_{0};
    alignas(64) std::atomic<std::uint32_t> unfinished_{0};
    alignas(64) std::atomic<int> parked_{0};
    std::atomic<bool> busy_{false};
    std::mutex mutex_;
    std::condition_variable wake_up_;
    std::uint64_t wake_calls_ = 0;  // under mutex_

    std::vector<pthread_t> worker_handles_;
    int avoided_cpu_ = -1;
    std::int64_t last_session_end_ = 0;  // ns, steady clock
};

}  // namespace whitecap
