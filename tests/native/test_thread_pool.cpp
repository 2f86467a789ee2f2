// The pool: every index once, on any number of threads; sessions side by side; children of fork.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "check.hpp"
#include "cpu_topology.hpp"
#include "thread_pool.hpp"

using namespace whitecap;

namespace {

struct Visits {
    explicit Visits(std::uint64_t total) : counts(new std::atomic<std::uint8_t>[total]()), total(total) {}
    std::unique_ptr<std::atomic<std::uint8_t>[]> counts;
    std::uint64_t total;
    std::atomic<bool> inside_unit{true};
    std::uint64_t unit = 1;

    static void body(const void* context, std::uint64_t begin, std::uint64_t end) {
        auto& visits = *const_cast<Visits*>(static_cast<const Visits*>(context));
        if (begin % visits.unit != 0) visits.inside_unit = false;
        for (std::uint64_t i = begin; i < end; ++i) ++visits.counts[i];
    }

    bool each(int times) const {
        for (std::uint64_t i = 0; i < total; ++i) {
            if (counts[i] != times) return false;
        }
        return true;
    }
};

}  // namespace

TEST(every_index_runs_exactly_once) {
    for (int threads : {1, 2, 3, 7}) {
        for (std::uint64_t total : {1, 2, 63, 1000, 100003}) {
            Visits visits(total);
            ThreadPool::Session(threads, total).run(total, 1, &Visits::body, &visits);
            CHECK(visits.each(1));
        }
    }
}

TEST(chunks_begin_at_multiples_of_the_unit) {
    for (std::uint64_t unit : {1, 97, 4096, 200000}) {
        Visits visits(97 * 131);
        visits.unit = unit;
        ThreadPool::Session(4, visits.total).run(visits.total, unit, &Visits::body, &visits);
        CHECK(visits.inside_unit);
        CHECK(visits.each(1));
    }
}

TEST(many_jobs_in_one_session_do_not_mix) {
    Visits visits(10000);
    ThreadPool::Session session(3, visits.total);
    for (int i = 0; i < 200; ++i) session.run(visits.total, 64, &Visits::body, &visits);
    CHECK(visits.each(200));
}

TEST(jobs_survive_pauses_in_which_workers_park) {
    Visits visits(200000);
    for (int i = 0; i < 20; ++i) {
        ThreadPool::Session(2, visits.total).run(visits.total, 64, &Visits::body, &visits);
        usleep(i % 4 * 3000);
    }
    CHECK(visits.each(20));
}

TEST(sessions_on_several_threads_do_not_wait_for_each_other) {
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            Visits visits(50000);
            for (int i = 0; i < 50; ++i)
                ThreadPool::Session(2, visits.total).run(visits.total, 64, &Visits::body, &visits);
            good += visits.each(50);
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(good.load(), 4);
}

TEST(a_child_of_fork_has_a_pool_of_its_own) {
    Visits before(100000);
    ThreadPool::Session(2, before.total).run(before.total, 64, &Visits::body, &before);
    const pid_t child = fork();
    if (child == 0) {
        Visits visits(100000);
        ThreadPool::Session(2, visits.total).run(visits.total, 64, &Visits::body, &visits);
        _exit(visits.each(1) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(thread_counts_outside_their_range_are_refused) {
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"-1, allowed are 0"}), ThreadPool::set_thread_count(-1));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"257"}), ThreadPool::set_thread_count(257));
    ThreadPool::set_thread_count(5);
    CHECK_EQ(ThreadPool::thread_count(), 5);
    ThreadPool::set_thread_count(0);
    CHECK_EQ(ThreadPool::thread_count(), usable_cores());
}

TEST(the_processor_is_described) {
    CHECK(!allowed_cpus().empty());
    CHECK(usable_cores() >= 1);
    CHECK(usable_cores() <= static_cast<int>(allowed_cpus().size()));
    CHECK(!cpu_targets().empty());
    CHECK(second_level_cache() >= std::uint64_t{64} << 10);
    CHECK(shared_cache() >= second_level_cache());
    CHECK(shared_cache() <= std::uint64_t{2} << 30);
}
